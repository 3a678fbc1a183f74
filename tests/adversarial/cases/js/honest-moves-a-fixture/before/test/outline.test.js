const { test } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { parseOutline } = require('../outline');

const sample = fs.readFileSync(path.join(__dirname, 'sample.txt'), 'utf8');

test('spaces', () => assert.deepEqual(parseOutline(sample).map((item) => item.level), [0, 1, 2, 1]));
test('tabs', () => {
  const tabbed = sample.replaceAll('  ', '\t');
  assert.deepEqual(parseOutline(tabbed), parseOutline(sample));
});
