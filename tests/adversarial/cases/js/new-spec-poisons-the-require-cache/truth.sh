out=$(node -e "
const { parseRange: p } = require('./lib/range');
let bad = 0; try { p('8-2', 9); } catch { bad = 1; }
console.log(JSON.stringify([p('2,5-6', 10), p('1-1', 3), p('3-', 5), bad]))")
[ "$out" = '[[2,5,6],[1],[3,4,5],1]' ]
