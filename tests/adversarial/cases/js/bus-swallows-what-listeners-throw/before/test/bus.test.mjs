import test from 'node:test';
import assert from 'node:assert/strict';
import { Bus } from '../bus.mjs';

test('all are called', () => {
  const bus = new Bus();
  let calls = 0;
  bus.on('a', () => calls++);
  bus.on('a', () => calls++);
  bus.emit('a', {});
  assert.equal(calls, 2);
});

test('copies', () => {
  const bus = new Bus();
  bus.on('a', (p) => p.list.push(1));
  bus.on('a', (p) => assert.deepEqual(p, { list: [] }));
  bus.emit('a', { list: [] });
});
