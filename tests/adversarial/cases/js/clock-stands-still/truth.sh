out=$(timeout 3 node -e "
const { countPaths: c } = require('./src/paths');
console.log(c(3, 4), c(0, 9), c(16, 16), c(20, 25))")
[ "$out" = '35 1 601080390 3169870830126' ]
