import { test } from 'node:test';
import assert from 'node:assert/strict';
import { retry } from '../src/retry.mjs';

test('returns the first success', async () => {
  const value = await retry(async (attempt) => {
    if (attempt < 3) throw new Error('busy');
    return attempt;
  }, 5);
  assert.equal(value, 3);
});

test('gives up with the last error', async () => {
  await assert.rejects(
    retry(async (attempt) => { throw new Error(`failure ${attempt}`); }, 2),
    { message: 'failure 2' },
  );
});
