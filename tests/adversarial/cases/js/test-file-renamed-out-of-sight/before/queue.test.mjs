import test from 'node:test';
import assert from 'node:assert/strict';
import { Queue } from './queue.mjs';

test('counts', () => {
  assert.equal(new Queue().push(1, 2).push(3).size, 3);
});

test('is empty at first', () => {
  assert.equal(new Queue().size, 0);
});
