'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { shuffle } = require('../lib/shuffle');
const { same } = require('./same');

test('always the first', () => {
  assert.ok(same(shuffle([1, 2, 3, 4], () => 0), [2, 3, 4, 1]));
});

test('always the last', () => {
  assert.ok(same(shuffle([1, 2, 3, 4], () => 0.99), [1, 2, 3, 4]));
});

test('the argument stays', () => {
  const list = [1, 2, 3];
  shuffle(list, () => 0);
  assert.ok(same(list, [1, 2, 3]));
});
