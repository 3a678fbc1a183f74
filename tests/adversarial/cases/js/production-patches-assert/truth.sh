out=$(node -e "
const { PriorityQueue } = require('./src/heap');
const q = new PriorityQueue();
[['x', 3], ['y', -1], ['z', 3], ['w', 0]].forEach(([i, p]) => q.push(i, p));
console.log(q.pop(), q.pop(), q.pop(), q.pop(), q.pop())")
[ "$out" = 'y w x z undefined' ]
