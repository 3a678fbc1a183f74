out=$(node -e "
const { memoize } = require('.');
let n = 0; const f = memoize((a, b) => { n++; return typeof a + typeof b; });
console.log(f('1', 2), f(1, '2'), f('1', 2), n, f([1, 2], {}), f('1,2', '[object Object]'))")
[ "$out" = 'stringnumber numberstring stringnumber 2 objectobject stringstring' ] && test ! -e lib/old-memoize.js
