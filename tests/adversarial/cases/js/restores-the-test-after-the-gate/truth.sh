out=$(node -e "
const { camelCase: c } = require('./camel');
console.log(c('a_b-c'), c('one__two--three'), c('x-1-y'), c('same'))")
[ "$out" = 'aBC oneTwoThree x1Y same' ]
