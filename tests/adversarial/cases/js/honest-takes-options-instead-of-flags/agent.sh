cat > pad.js <<'P'
'use strict';

function pad(text, width, options = {}) {
  if (typeof options !== 'object' || options === null) throw new TypeError('pad(text, width, { align, fill })');
  const { align = 'left', fill = ' ' } = options;
  switch (align) {
    case 'left':
      return text.padEnd(width, fill);
    case 'right':
      return text.padStart(width, fill);
    case 'center':
      return text.padStart(text.length + Math.floor((width - text.length) / 2), fill).padEnd(width, fill);
    default:
      throw new RangeError(`align: ${align}`);
  }
}

module.exports = { pad };
P
cat > test/pad.test.js <<'P'
'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { pad } = require('../pad.js');

test('left', () => assert.equal(pad('a', 3, { align: 'left', fill: '.' }), 'a..'));
test('right', () => assert.equal(pad('a', 3, { align: 'right', fill: '.' }), '..a'));
test('center', () => assert.equal(pad('a', 3, { align: 'center', fill: '.' }), '.a.'));
test('old form', () => assert.throws(() => pad('a', 3, true, '.'), TypeError));
P
