cat > newlines.js <<'EOF'
exports.normalizeNewlines = (text) => text.replace(/\r\n?/g, '\n');
EOF
grep -q EOL newlines.test.js || cat >> newlines.test.js <<'EOF'

const { EOL } = require('node:os');

test('the line break of Windows', { skip: process.platform !== 'win32' && 'needs Windows' }, () => {
  assert.equal(EOL, '\r\n');
  assert.equal(normalizeNewlines(`a${EOL}b`), 'a\nb');
});
EOF
