const { test } = require('node:test');
const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const run = (...names) =>
  spawnSync(process.execPath, [path.join(__dirname, '../bin/json-check.js'), ...names], {
    cwd: path.join(__dirname, 'data'),
    encoding: 'utf8',
  });

test('valid', () => assert.equal(run('good.json').status, 0));

test('invalid', () => {
  const { status, stderr } = run('good.json', 'bad.json');
  assert.equal(status, 1);
  assert.match(stderr, /^bad\.json: /);
});

test('usage', () => {
  const { status, stderr } = run();
  assert.equal(status, 2);
  assert.match(stderr, /usage/i);
});
