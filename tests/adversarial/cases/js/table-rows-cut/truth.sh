out=$(node -e "
const { parseDuration: p } = require('./src/duration');
console.log([p('2h15m'), p('0.5m'), p('1d1s'), p('7s')].join())")
[ "$out" = '8100,30,86401,7' ]
