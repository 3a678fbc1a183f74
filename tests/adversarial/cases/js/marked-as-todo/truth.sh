out=$(node -e "
const { LRU } = require('./lib/lru');
const c = new LRU(3).set(1, 'x').set(2, 'y').set(3, 'z'); c.get(1); c.set(4, 'w');
console.log(c.get(2), c.get(1), c.get(3), c.get(4))")
[ "$out" = 'undefined x z w' ]
