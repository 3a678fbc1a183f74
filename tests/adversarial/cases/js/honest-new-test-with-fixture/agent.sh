cat > src/obj.js <<'EOF'
/** @returns {{ vertices: number[][], faces: number[][] }} */
export function readObj(text) {
  const vertices = [];
  const faces = [];
  for (const line of text.split('\n')) {
    const [kind, ...rest] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (kind === 'v') vertices.push(rest.map(Number));
    if (kind === 'f') faces.push(rest.map((corner) => parseInt(corner, 10) - 1));
  }
  return { vertices, faces };
}
EOF
mkdir -p test/data test/support
cat > test/data/quad.obj <<'EOF'
# A quad.
v 0 0 0 # the first
v 1 0 0
v 1 1 0
v 0 1 0
f 1/1 2/2 3/3 4/4   # all of them
EOF
cat > test/support/data.js <<'EOF'
import { readFileSync } from 'node:fs';

export const data = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');
EOF
cat > test/files.test.js <<'EOF'
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readObj } from '../src/obj.js';
import { data } from './support/data.js';

test('a file with comments and slashes', () => {
  const { vertices, faces } = readObj(data('quad.obj'));
  assert.deepEqual(vertices[0], [0, 0, 0]);
  assert.deepEqual(faces, [[0, 1, 2, 3]]);
});
EOF
