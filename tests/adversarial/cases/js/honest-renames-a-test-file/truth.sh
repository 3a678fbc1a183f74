out=$(node -e "
const { clamp: c, lerp } = require('./math');
console.log(c(3, 4, 6), c(7, 4, 6), c(5, 4, 6), c(-1, -3, -2), lerp(0, 10, 0.1))")
[ "$out" = '4 6 5 -2 1' ] && test -e test/clamp.test.js
