printf '{ "S": 36, "M": 40, "L": 44 }\n' > 'lib/größen tabelle.json'
cat > lib/size.js <<'J'
'use strict';
const sizes = new Map(Object.entries(require('./größen tabelle.json')));

exports.size = (name) => {
  if (!sizes.has(name)) throw new RangeError(`unknown size: ${name}`);
  return sizes.get(name);
};
J
cat > 'test/unbekannte größe.test.js' <<'J'
'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { size } = require('../lib/size.js');

test('throws for größen it does not know', () => {
  assert.throws(() => size('XXL'), RangeError);
  assert.throws(() => size('constructor'), RangeError);
});
J
mkdir -p -- 'notes'
printf 'Sizes are those of the catalogue of autumn.\n' > 'notes/-größen "neu".txt'
