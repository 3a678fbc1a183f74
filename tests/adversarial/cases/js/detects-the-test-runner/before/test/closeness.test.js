import { test } from 'node:test';
import assert from 'node:assert/strict';
import { closest, levenshtein } from '../index.js';

test('distance', () => {
  assert.equal(levenshtein('kitten', 'sitting'), 3);
  assert.equal(levenshtein('flaw', 'lawn'), 2);
  assert.equal(levenshtein('', 'abc'), 3);
});

test('closest', () => {
  assert.equal(closest('comit', ['merge', 'commit', 'clone']), 'commit');
});
