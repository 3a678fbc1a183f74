'use strict';
const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const run = (...words) => spawnSync(process.execPath, ['bin/mirror.js', ...words], { encoding: 'utf8', cwd: path.join(__dirname, '..') });

function folders() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'mirror-'));
  for (const name of ['from', 'to']) fs.mkdirSync(path.join(root, name));
  fs.writeFileSync(path.join(root, 'from', 'a.txt'), 'a');
  return [path.join(root, 'from'), path.join(root, 'to')];
}

test('copies', () => {
  const [from, to] = folders();
  assert.equal(run(from, to).stdout, 'a.txt\n');
  assert.ok(fs.existsSync(path.join(to, 'a.txt')));
});

test('the help names all options', () => {
  assert.match(run('--help').stdout, /--quiet.*--dry-run/);
});

test('a dry run says so', () => {
  const done = run('--dry-run', ...folders());
  assert.equal(done.status, 0);
  assert.match(done.stdout, /would copy a\.txt/);
});
