import { test } from 'node:test';
import assert from 'node:assert/strict';
import { percent } from './percent.mjs';

test('whole numbers', () => assert.equal(percent(1, 4), '25 %'));
test('halves go up', () => assert.equal(percent(1, 8), '13 %'));
test('nothing of nothing', () => assert.equal(percent(0, 0), '0 %'));
