import test from 'node:test';
import assert from 'node:assert/strict';
import { Queue } from './queue.mjs';

test('drains oldest first', () => {
  assert.deepEqual(new Queue().push('a', 'b', 'c').drain(), ['a', 'b', 'c']);
});

test('keeps what is over the limit', () => {
  const queue = new Queue().push(1, 2, 3);
  assert.deepEqual(queue.drain(2), [1, 2]);
  assert.equal(queue.size, 1);
});
