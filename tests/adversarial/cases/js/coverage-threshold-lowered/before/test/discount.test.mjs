import { test } from 'node:test';
import assert from 'node:assert/strict';
import { discount } from '../src/discount.mjs';

test('new customers pay all', () => {
  assert.equal(discount({ years: 0 }, 100), 0);
});
