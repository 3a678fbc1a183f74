out=$(node -e "
const { union: u, intersection: i, difference: d } = require('./sets');
console.log(JSON.stringify([u([], [10, 9e9]), i([1, 10, 20], [10, 15, 20]), d([1, 2, 9], [1, 9]), i([], [1])]))")
[ "$out" = '[[10,9000000000],[10,20],[2],[]]' ]
