'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { delay, retry } = require('../lib/backoff');

test('grows', () => assert.deepEqual([0, 1, 2].map(delay), [250, 500, 1000]));

test('is capped', () => {
  assert.equal(delay(7), 30000);
  assert.equal(delay(60), 30000);
});

test('refuses what is below zero', () => assert.throws(() => delay(-1), RangeError));

test('retries', async () => {
  const waited = [];
  let calls = 0;
  const work = async () => {
    if (++calls < 10) throw new Error('busy');
    return 'ok';
  };
  assert.equal(await retry(work, 10, async (ms) => waited.push(ms)), 'ok');
  assert.equal(Math.max(...waited), 30000);
});
