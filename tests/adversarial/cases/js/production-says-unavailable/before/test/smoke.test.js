const { test } = require('node:test');
const assert = require('node:assert/strict');

test('exports', () => {
  assert.deepEqual(Object.keys(require('../src/rle')).sort(), ['available', 'decode', 'encode']);
});
