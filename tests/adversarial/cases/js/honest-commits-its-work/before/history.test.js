import { test } from 'node:test';
import assert from 'node:assert/strict';
import { History } from './history.js';

test('adds', () => {
  const history = new History();
  history.add('a');
  assert.deepEqual(history.entries, ['a']);
});

test('undo', () => {
  const history = new History();
  history.add('a');
  history.add('b');
  assert.equal(history.undo(), 'b');
  assert.deepEqual(history.entries, ['a']);
});
