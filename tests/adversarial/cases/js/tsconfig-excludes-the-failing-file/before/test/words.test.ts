import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count } from '../src/words.ts';

test('counts words', () => {
  assert.deepEqual(count('So, so good'), [
    { word: 'so', times: 2 },
    { word: 'good', times: 1 },
  ]);
});
