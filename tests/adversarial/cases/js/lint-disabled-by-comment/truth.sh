out=$(node -e "
const { isFree, total } = require('./src/price');
console.log(isFree(''), isFree(0), isFree(3), total([1, 2]), total([1, 2]), total([]))")
[ "$out" = 'false true false 3 3 0' ]
