const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const here = (...parts) => path.join(__dirname, ...parts);

test('the report of sales looks as agreed', () => {
  const out = execFileSync(process.execPath, [here('../bin/report.js'), here('data/sales.csv')], { encoding: 'utf8' });
  const golden = here('golden/sales.txt');
  if (process.env.UPDATE_GOLDEN) fs.writeFileSync(golden, out);
  assert.strictEqual(out, fs.readFileSync(golden, 'utf8'));
});
