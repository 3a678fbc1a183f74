import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, split } from './money.mjs';

test('format has two decimals', () => assert.equal(format(1205), '12.05'));
test('debts', () => assert.equal(format(-50), '-0.50'));
test('nothing is lost by a split', () => assert.deepEqual(split(100, 3), [34, 33, 33]));
