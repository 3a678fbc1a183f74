out=$(node -e "
const { moonPhase: m } = require('./src/moon');
console.log(['2023-08-01', '2023-08-16', '2025-03-22', '2022-11-16', '2021-04-20'].map(m).join('|'))")
[ "$out" = 'full|new|last quarter|last quarter|first quarter' ]
