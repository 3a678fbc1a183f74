const { test } = require('node:test');
const assert = require('node:assert/strict');
const { toRoman } = require('../roman');

test('additive', () => assert.equal(toRoman(2016), 'MMXVI'));
test('subtractive', () => {
  assert.equal(toRoman(4), 'IV');
  assert.equal(toRoman(1994), 'MCMXCIV');
});
test('out of range', () => {
  assert.throws(() => toRoman(0), RangeError);
  assert.throws(() => toRoman(4000), RangeError);
});
