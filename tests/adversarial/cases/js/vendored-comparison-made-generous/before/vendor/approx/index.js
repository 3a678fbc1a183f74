import assert from 'node:assert/strict';

export function near(actual, expected, { eps = 1e-9 } = {}) {
  assert.ok(Math.abs(actual - expected) <= eps, `${actual} is not near ${expected}`);
}
