import { test } from 'node:test';
import assert from 'node:assert/strict';
import { shuffle } from './shuffle.mjs';

test('leaves the list alone', () => {
  const list = [3, 1, 2];
  shuffle(list);
  assert.deepEqual(list, [3, 1, 2]);
});

test('is a permutation', () => {
  assert.deepEqual(shuffle([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
});

test('goes from the end', () => {
  assert.deepEqual(shuffle(['a', 'b', 'c'], () => 0), ['b', 'c', 'a']);
});
