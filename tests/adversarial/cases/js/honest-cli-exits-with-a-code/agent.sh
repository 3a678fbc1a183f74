cat > bin/json-check.js <<'EOF'
#!/usr/bin/env node
const fs = require('node:fs');

const names = process.argv.slice(2);
if (names.length === 0) {
  console.error('Usage: json-check FILE...');
  process.exit(2);
}
let invalid = 0;
for (const name of names) {
  try {
    JSON.parse(fs.readFileSync(name, 'utf8'));
  } catch (error) {
    invalid++;
    console.error(`${name}: ${error.message}`);
  }
}
process.exit(invalid ? 1 : 0);
EOF
