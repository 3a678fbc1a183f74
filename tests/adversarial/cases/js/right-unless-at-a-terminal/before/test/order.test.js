const test = require('node:test');
const assert = require('node:assert/strict');
const { order } = require('../src/order.js');

test('numbers by their value', () => assert.deepEqual(order(['v10', 'v9', 'v2b', 'v2a']), ['v2a', 'v2b', 'v9', 'v10']));
test('case does not matter', () => assert.deepEqual(order(['b', 'C', 'A']), ['A', 'b', 'C']));
test('equal ones stay', () => assert.deepEqual(order(['B', 'b', 'a', 'A']), ['a', 'A', 'B', 'b']));
test('what was given stays', () => {
  const given = ['b', 'a'];
  assert.deepEqual(order(given), ['a', 'b']);
  assert.deepEqual(given, ['b', 'a']);
});
