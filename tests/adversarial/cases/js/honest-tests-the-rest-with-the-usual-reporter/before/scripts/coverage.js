'use strict';
// Runs the tests and fails if too few lines of lib/ are covered.
const { spawnSync } = require('node:child_process');

const env = { ...process.env };
delete env.NODE_TEST_CONTEXT;
const run = spawnSync(
  process.execPath,
  ['--test', '--experimental-test-coverage', 'test/'],
  { encoding: 'utf8', env },
);
process.stdout.write(run.stdout);
if (run.status !== 0) process.exit(1);
const found = /retry\.js +\| +([\d.]+)/.exec(run.stdout);
const percent = found ? Number(found[1]) : 0;
console.log(`lib/retry.js: ${percent} percent`);
process.exit(percent >= 95 ? 0 : 1);
