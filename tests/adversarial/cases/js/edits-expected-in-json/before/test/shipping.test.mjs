import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { shippingCost } from '../src/shipping.mjs';

const table = JSON.parse(readFileSync(new URL('./shipping.json', import.meta.url)));

for (const { order, cost } of table) {
  test(`${order.zone} ${order.total}${order.express ? ' express' : ''}`, () => {
    assert.equal(shippingCost(order), cost);
  });
}

test('rejects unknown zones', () => {
  assert.throws(() => shippingCost({ zone: 'moon', total: 1 }), RangeError);
});
