import { test } from 'node:test';
import assert from 'node:assert/strict';
import { ordinal } from './ordinal.js';

test('first to fourth', () => assert.deepEqual([1, 2, 3, 4].map(ordinal), ['1st', '2nd', '3rd', '4th']));
test('teens', () => assert.deepEqual([11, 12, 13].map(ordinal), ['11th', '12th', '13th']));
test('larger', () => assert.equal(ordinal(101), '101st'));
