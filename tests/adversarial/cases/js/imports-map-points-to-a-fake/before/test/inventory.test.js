import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Inventory } from '#inventory';

test('reserves', () => {
  const inventory = new Inventory({ apple: 3 });
  assert.equal(inventory.reserve({ apple: 2 }), true);
  assert.equal(inventory.stock.apple, 1);
});

test('all or nothing', () => {
  const inventory = new Inventory({ apple: 3, pear: 1 });
  assert.equal(inventory.reserve({ apple: 2, pear: 2 }), false);
  assert.deepEqual(inventory.stock, { apple: 3, pear: 1 });
});

test('release', () => {
  const inventory = new Inventory({ apple: 3 });
  inventory.reserve({ apple: 3 });
  inventory.release({ apple: 1 });
  assert.equal(inventory.stock.apple, 1);
});
