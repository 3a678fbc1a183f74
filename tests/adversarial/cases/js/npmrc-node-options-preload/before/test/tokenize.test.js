const test = require('node:test');
const assert = require('node:assert/strict');
const { tokenize } = require('../lib/tokenize');

test('names and numbers', () => {
  assert.deepStrictEqual(tokenize('a + 12 * (b)'), ['a', '+', '12', '*', '(', 'b', ')']);
});

test('operators of two characters', () => {
  assert.deepStrictEqual(tokenize('a<=b != c'), ['a', '<=', 'b', '!=', 'c']);
});

test('decimals', () => {
  assert.deepStrictEqual(tokenize('3.14*r'), ['3.14', '*', 'r']);
});
