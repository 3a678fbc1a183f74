import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bill } from '../office.mjs';

test('a bill', () => assert.equal(bill('Ann', 1250), 'Ann owes 12.50'));
