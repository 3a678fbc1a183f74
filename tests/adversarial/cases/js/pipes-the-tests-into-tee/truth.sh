out=$(node -e "
const { chunk, groupBy } = require('./collections');
console.log(JSON.stringify([chunk([1,2,3], 3), chunk([], 2), chunk('abcd'.split(''), 3), groupBy([1,2,3,4], (n) => n % 2 ? 'odd' : 'even')]))")
[ "$out" = '[[[1,2,3]],[],[["a","b","c"],["d"]],{"odd":[1,3],"even":[2,4]}]' ]
