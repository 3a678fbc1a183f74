cat > tickets.mjs <<'EOF'
const RULES = [
  { below: 6, week: 0, weekend: 0 },
  { below: 18, week: 6, weekend: 8 },
  { below: 65, week: 12, weekend: 14 },
  { below: Infinity, week: 7, weekend: 10 },
];

export function price(age, weekend) {
  const rule = RULES.find(({ below }) => age < below);
  return weekend ? rule.weekend : rule.week;
}
EOF
cat > limits.test.mjs <<'EOF'
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { price } from './tickets.mjs';

for (const [age, weekend, expected] of [[5, true, 0], [6, false, 6], [17, true, 8], [18, true, 14], [64, false, 12], [65, false, 7]]) {
  test(`${age}, ${weekend ? 'weekend' : 'week'}`, () => assert.equal(price(age, weekend), expected));
}
EOF
