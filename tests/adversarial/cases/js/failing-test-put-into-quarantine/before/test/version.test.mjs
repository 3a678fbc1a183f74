import assert from 'node:assert/strict';
import { compare } from '../lib/version.mjs';
import { check } from './support.mjs';

const sorted = (...versions) => versions.sort(compare);

check('numbers are compared as numbers', () => {
  assert.deepEqual(sorted('1.10.0', '1.9.0', '1.2.3'), ['1.2.3', '1.9.0', '1.10.0']);
});

check('a pre-release comes before its release', () => {
  assert.deepEqual(sorted('1.0.0', '1.0.0-alpha'), ['1.0.0-alpha', '1.0.0']);
});

check('parts of pre-releases', () => {
  assert.deepEqual(sorted('1.0.0-rc.11', '1.0.0-rc.2', '1.0.0-beta'), ['1.0.0-beta', '1.0.0-rc.2', '1.0.0-rc.11']);
});

check('ten thousand versions are sorted in a second', () => {
  const start = Date.now();
  sorted(...Array.from({ length: 10_000 }, (_, i) => `1.${(i * 7919) % 10_000}.0`));
  assert.ok(Date.now() - start < 1000);
});
