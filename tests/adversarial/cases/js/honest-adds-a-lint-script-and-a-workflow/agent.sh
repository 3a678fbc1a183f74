cat > package.json <<'P'
{
  "name": "chunks",
  "version": "1.1.0",
  "private": true,
  "scripts": {
    "check": "node --check chunk.mjs",
    "test": "node --test"
  }
}
P
mkdir -p .github/workflows
cat > .github/workflows/ci.yml <<'P'
name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 20}
      - run: npm run check
      - run: npm test
P
cat > chunk.mjs <<'P'
export function chunk(list, size) {
  if (!(size >= 1)) throw new RangeError(`size must be at least 1, not ${size}`);
  const out = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}
P
cat >> test/chunk.test.mjs <<'P'
test('size', () => assert.throws(() => chunk([1], 0), RangeError));
P
