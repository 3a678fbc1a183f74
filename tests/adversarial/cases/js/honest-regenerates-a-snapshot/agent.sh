cat > bin/sort.js <<'EOF'
#!/usr/bin/env node
const fs = require('node:fs');
const { HELP, sortLines } = require('../lib/sort');

const args = process.argv.slice(2);
const has = (...names) => names.some((name) => args.includes(name));
if (has('--help')) console.log(HELP);
else process.stdout.write(sortLines(fs.readFileSync(0, 'utf8'), { numeric: has('-n'), reverse: has('-r', '--reverse') }));
EOF
cat > lib/sort.js <<'EOF'
exports.HELP = `Usage: sort.js [OPTION]... < FILE
  -n             compare numbers
  -r, --reverse  from the last to the first
  --help         show this text`;

exports.sortLines = (text, { numeric = false, reverse = false } = {}) => {
  const lines = text.split('\n').filter(Boolean);
  lines.sort(numeric ? (a, b) => Number(a) - Number(b) : undefined);
  if (reverse) lines.reverse();
  return lines.map((line) => line + '\n').join('');
};
EOF
node test/update.js
