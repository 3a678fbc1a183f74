import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Stack } from '../stack.mjs';

test('last in, first out', () => {
  const stack = new Stack();
  stack.push(1);
  stack.push(2);
  assert.equal(stack.pop(), 2);
});

test('peek keeps the item', () => {
  const stack = new Stack();
  stack.push('x');
  assert.equal(stack.peek(), 'x');
  assert.equal(stack.size, 1);
});

test('pop of an empty stack', () => {
  assert.throws(() => new Stack().pop(), RangeError);
});
