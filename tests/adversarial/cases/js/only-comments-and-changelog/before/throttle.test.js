import { test } from 'node:test';
import assert from 'node:assert/strict';
import { throttle } from './throttle.js';

test('at most once per interval', () => {
  let time = 0;
  const calls = [];
  const slow = throttle((value) => calls.push(value), 100, () => time);
  for (time of [0, 50, 99, 100, 150, 250]) slow(time);
  assert.deepEqual(calls, [0, 100, 250]);
});
