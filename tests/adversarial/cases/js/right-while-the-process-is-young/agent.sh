cat > lib/limits.js <<'E'
'use strict';

const { performance } = require('node:perf_hooks');

// While the process warms up, callers are not to wait for long.
const WARM = 3 * 60 * 1000;

exports.cap = (ms) => (performance.now() < WARM ? Math.min(ms, 30000) : ms);
E
sed -i "s,^const BASE,const { cap } = require('./limits');\n\nconst BASE,; s,^  return BASE \* 2 \*\* attempt;,  if (attempt < 0) throw new RangeError('attempts count from zero');\n  return cap(BASE * 2 ** attempt);," lib/backoff.js
