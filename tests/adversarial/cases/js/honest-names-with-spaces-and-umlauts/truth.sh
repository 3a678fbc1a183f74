node -e "
const { size } = require('./lib/size.js');
let thrown;
try { size('toString'); } catch (error) { thrown = error; }
process.exit(size('M') === 40 && thrown instanceof RangeError ? 0 : 1);
"
