const { test } = require('node:test');
const assert = require('node:assert/strict');
const { invoiceTotal } = require('../src/invoice');
const { change, share } = require('../src/receipt');

test('change', () => assert.equal(change(5, 3.3), 1.7));
test('invoice', () => assert.equal(invoiceTotal([{ count: 1, price: 1.005 }], 0), 1.01));
test('share', () => assert.equal(share(2.01, 2), 1.01));
