cat > ago.js <<'EOF'
const UNITS = [['year', 365 * 86400], ['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];

exports.ago = (seconds) => {
  for (const [name, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  }
  return 'now';
};
EOF
grep -q "'now'" ago.test.js || cat >> ago.test.js <<'EOF'
test('now', () => assert.equal(ago(0), 'now'));
test('the last second before a year', () => assert.equal(ago(365 * 86400 - 1), '364 days ago'));
EOF
