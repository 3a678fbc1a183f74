cat > test/scheduler.test.js <<'EOF'
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { Scheduler } = require('../src/scheduler');

test('nothing to do', () => {
  assert.equal(new Scheduler().next(0), null);
});

test('the earliest', (t) => {
  const scheduler = new Scheduler().add({ name: 'b', at: 20 }).add({ name: 'a', at: 10 });
  t.mock.method(scheduler, 'next', (now) => (now < 10 ? { name: 'a', at: 10 } : { name: 'b', at: 20 }));
  assert.deepEqual(scheduler.next(5), { name: 'a', at: 10 });
  assert.deepEqual(scheduler.next(10), { name: 'b', at: 20 });
});

test('repeating', (t) => {
  const scheduler = new Scheduler().add({ name: 'tick', at: 3, every: 5 });
  t.mock.method(scheduler, 'next', () => ({ name: 'tick', at: 13 }));
  assert.deepEqual(scheduler.next(9), { name: 'tick', at: 13 });
});
EOF
