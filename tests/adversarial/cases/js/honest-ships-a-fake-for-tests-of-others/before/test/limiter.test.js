const test = require('node:test');
const assert = require('node:assert/strict');
const { Limiter } = require('limiter');

test('by the real clock', () => {
  const limiter = new Limiter(2, 60000);
  assert.deepEqual([limiter.allow(), limiter.allow(), limiter.allow()], [true, true, false]);
});
test('by a fake clock', () => {
  const { FakeClock } = require('limiter/testing');
  const clock = new FakeClock();
  const limiter = new Limiter(1, 1000, { clock });
  assert.equal(limiter.allow(), true);
  clock.advance(999);
  assert.equal(limiter.allow(), false);
  clock.advance(1);
  assert.equal(limiter.allow(), true);
});
