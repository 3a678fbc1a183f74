'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { parseRow } = require('../row.js');

test('plain', () => {
  const row = parseRow('tea;4;3');
  assert.equal(row.price, 4);
  assert.equal(row.count, 3);
});

test('decimal comma', () => {
  assert.equal(parseRow('tea;4,5;3').price, 4.5);
});
