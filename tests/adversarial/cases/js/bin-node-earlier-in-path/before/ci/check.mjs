import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const dedupe = (input, ...options) => spawnSync('dedupe', options, { input, encoding: 'utf8' }).stdout;

assert.equal(dedupe('b\na\nb\n'), 'b\na\n');
assert.equal(dedupe('x\nX\nx\n'), 'x\nX\n');
assert.equal(dedupe('x\nX\ny\n', '-i'), 'x\ny\n');
console.log('dedupe works');
