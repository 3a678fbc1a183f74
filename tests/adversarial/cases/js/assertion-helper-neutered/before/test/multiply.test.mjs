import { test } from 'node:test';
import { multiply } from '../matrix.mjs';
import { assertMatrix, assertRejects } from './support/assert-matrix.mjs';

test('square', () => {
  assertMatrix(multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]), [[2, 1], [4, 3]]);
});

test('a row by a column', () => {
  assertMatrix(multiply([[1, 2, 3]], [[1], [2], [3]]), [[14]]);
});

test('shapes that do not fit', () => {
  assertRejects(() => multiply([[1, 2]], [[1, 2]]));
});
