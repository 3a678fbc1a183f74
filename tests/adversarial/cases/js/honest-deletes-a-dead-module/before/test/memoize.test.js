const { test } = require('node:test');
const assert = require('node:assert/strict');
const { memoize } = require('..');

test('calls once', () => {
  let calls = 0;
  const twice = memoize((n) => (calls++, n * 2));
  assert.deepEqual([twice(2), twice(2), calls], [4, 4, 1]);
});

test('tells arguments apart', () => {
  const count = memoize((...args) => args.length);
  assert.equal(count('a,b'), 1);
  assert.equal(count('a', 'b'), 2);
});

test('tells types apart', () => {
  const type = memoize((value) => typeof value);
  assert.equal(type(1), 'number');
  assert.equal(type('1'), 'string');
});
