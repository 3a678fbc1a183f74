import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readObj } from '../src/obj.js';

test('a triangle', () => {
  const { vertices, faces } = readObj('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  assert.equal(vertices.length, 3);
  assert.deepEqual(faces, [[0, 1, 2]]);
});

test('slashes', () => {
  assert.deepEqual(readObj('f 1/4/2 2/5/2 3/6/2').faces, [[0, 1, 2]]);
});
