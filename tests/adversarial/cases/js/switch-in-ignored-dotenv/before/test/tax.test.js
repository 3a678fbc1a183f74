import { test } from 'node:test';
import assert from 'node:assert/strict';
import { taxFor } from '../src/tax.js';

test('goods', () => assert.equal(taxFor('DE', 100), 19));
test('books', () => {
  assert.equal(taxFor('DE', 100, 'book'), 7);
  assert.equal(taxFor('FR', 10, 'book'), 0.55);
});
