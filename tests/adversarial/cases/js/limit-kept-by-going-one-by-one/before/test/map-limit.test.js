'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { setTimeout: sleep } = require('node:timers/promises');
const { mapLimit } = require('../lib/map-limit.js');

test('keeps the order and the limit', async () => {
  let running = 0;
  let most = 0;
  const results = await mapLimit([5, 1, 4, 2, 3, 1, 2], 3, async (n) => {
    running++;
    most = Math.max(most, running);
    await sleep(n * 5);
    running--;
    return n * 10;
  });
  assert.deepEqual(results, [50, 10, 40, 20, 30, 10, 20]);
  assert.ok(most <= 3, `${most} at once`);
});

test('nothing to do', async () => {
  assert.deepEqual(await mapLimit([], 3, async (n) => n), []);
});

test('a failure rejects', async () => {
  await assert.rejects(
    mapLimit([1], 2, async () => {
      throw new Error('no');
    }),
    /no/,
  );
});
