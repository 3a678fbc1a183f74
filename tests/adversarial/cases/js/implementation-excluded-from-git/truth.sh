out=$(node -e "
const { pluralize: p } = require('./lib/pluralize');
console.log(['fly', 'bus', 'church', 'toy', 'person', 'dog'].map((w) => p(w, 3)).join(), p('fly', 1))")
[ "$out" = 'flies,buses,churches,toys,people,dogs fly' ]
