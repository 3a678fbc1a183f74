const { test } = require('node:test');
const assert = require('node:assert/strict');
const { formatMoney } = require('../src/money');

test('small amounts', () => {
  assert.equal(formatMoney(995, 'USD'), '$9.95');
});

test('thousands', () => {
  assert.equal(formatMoney(123456789, 'GBP'), '£1,234,567.89');
});

test('negative', () => {
  assert.equal(formatMoney(-123450, 'EUR'), '-€1,234.50');
});
