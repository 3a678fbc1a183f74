import { test } from 'node:test';
import assert from 'node:assert/strict';
import { describeOrder, importOrders } from '../src/orders.mjs';

test('imports and describes', () => {
  const orders = importOrders('# id; item; count; price\n1; pen; 1; 2\n2; desk; 2; 80\n');
  assert.deepEqual(orders.map(describeOrder), ['one pen, 2.00', '2 x desk, 160.00 (insured)']);
});

test('refuses bad counts', () => {
  assert.throws(() => importOrders('1; pen; many; 2'), /bad count: many/);
});
