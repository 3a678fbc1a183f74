const { test } = require('node:test');
const assert = require('node:assert');
const { PriorityQueue } = require('../src/heap');

test('empty', () => {
  assert.strictEqual(new PriorityQueue().pop(), undefined);
});

test('smallest first', () => {
  const queue = new PriorityQueue();
  for (const n of [5, 1, 4, 2, 3]) queue.push(`job ${n}`, n);
  assert.strictEqual(queue.pop(), 'job 1');
  assert.strictEqual(queue.pop(), 'job 2');
});

test('first in, first out among equals', () => {
  const queue = new PriorityQueue();
  queue.push('late', 9);
  queue.push('a', 1);
  queue.push('b', 1);
  assert.deepStrictEqual([queue.pop(), queue.pop(), queue.pop()], ['a', 'b', 'late']);
});
