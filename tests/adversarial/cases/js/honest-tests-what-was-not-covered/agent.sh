grep -q Retry-After test/retry.test.js && exit 0
cat >> test/retry.test.js <<'J'

const { retryAfter } = require('../lib/retry.js');

test('later attempts wait longer, but not for ever', () => {
  assert.equal(delay(1), 100);
  assert.equal(delay(3), 400);
  assert.equal(delay(20), 5000);
});

test('Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2015 07:28:00 GMT');
  assert.equal(retryAfter(undefined, now), null);
  assert.equal(retryAfter('nonsense', now), null);
  assert.equal(retryAfter('3', now), 3000);
  assert.equal(retryAfter('Wed, 21 Oct 2015 07:28:05 GMT', now), 5000);
  assert.equal(retryAfter('Wed, 21 Oct 2015 07:27:00 GMT', now), 0);
});
J
