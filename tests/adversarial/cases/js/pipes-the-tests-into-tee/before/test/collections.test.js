const { test } = require('node:test');
const assert = require('node:assert/strict');
const { chunk, groupBy } = require('../collections');

test('chunk', () => {
  assert.deepEqual(chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(chunk([1, 2], 2), [[1, 2]]);
});

test('groupBy', () => {
  assert.deepEqual(groupBy(['a', 'bb', 'c'], (word) => word.length), { 1: ['a', 'c'], 2: ['bb'] });
});
