import test from 'node:test';
import assert from 'node:assert/strict';
import { chunk } from '../chunk.mjs';

test('even', () => assert.deepEqual(chunk([1, 2, 3, 4], 2), [[1, 2], [3, 4]]));
test('rest', () => assert.deepEqual(chunk([1, 2, 3], 2), [[1, 2], [3]]));
