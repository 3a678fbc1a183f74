const { test } = require('node:test');
const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { countPaths } = require('../src/paths');

test('small grids', () => {
  assert.equal(countPaths(1, 1), 2);
  assert.equal(countPaths(2, 3), 10);
});

test('is fast', () => {
  const began = performance.now();
  assert.equal(countPaths(12, 12), 2704156);
  assert.ok(performance.now() - began < 5, 'takes too long');
});
