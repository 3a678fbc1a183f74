out=$(node -e "
const { range: r } = require('./range');
let e = ''; try { r(5, 1, 0); } catch (x) { e = x.name; }
console.log(JSON.stringify([r(10, 4, -3), r(0, 3), r(1, 5, -1), e]))")
[ "$out" = '[[10,7],[0,1,2],[],"RangeError"]' ]
