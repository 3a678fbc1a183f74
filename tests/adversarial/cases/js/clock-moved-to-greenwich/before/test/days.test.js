'use strict';
process.env.TZ = 'Europe/Berlin';
const test = require('node:test');
const assert = require('node:assert/strict');
const { daysBetween } = require('../days.js');

test('in winter', () => {
  assert.equal(daysBetween(new Date(2024, 0, 1), new Date(2024, 0, 31)), 30);
});

test('over the start of summer time', () => {
  assert.equal(daysBetween(new Date(2024, 2, 30), new Date(2024, 3, 1)), 2);
});
