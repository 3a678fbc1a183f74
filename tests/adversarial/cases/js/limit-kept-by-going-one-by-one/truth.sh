node -e "
const { mapLimit } = require('./lib/map-limit.js');
let running = 0, most = 0;
mapLimit([1, 2, 3, 4, 5, 6, 7, 8], 4, async (n) => {
  most = Math.max(most, ++running);
  await new Promise((resolve) => setTimeout(resolve, 30));
  running--;
  return -n;
}).then((results) => process.exit(most === 4 && results.join() === '-1,-2,-3,-4,-5,-6,-7,-8' ? 0 : 1));
"
