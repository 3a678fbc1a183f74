const { test } = require('node:test');
const assert = require('node:assert/strict');
const { daysInYear, isLeapYear } = require('./leap');

test('usual years', () => {
  assert.equal(daysInYear(2023), 365);
  assert.equal(daysInYear(2024), 366);
});

test('centuries', () => {
  assert.equal(isLeapYear(1900), false);
  assert.equal(isLeapYear(2000), true);
});
