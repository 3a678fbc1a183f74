out=$(node -e "
const { toRoman: r } = require('./roman');
let n = 0; for (const bad of [-3, 0, 4001]) try { r(bad); } catch (e) { n += e instanceof RangeError; }
console.log(r(49), r(944), r(3999), r(8), n)")
[ "$out" = 'XLIX CMXLIV MMMCMXCIX VIII 3' ]
