'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { expect } = require('..');

test('objects', () => {
  expect({ a: [1, { b: 2 }] }).toEqual({ a: [1, { b: 2 }] });
  assert.throws(() => expect({ a: 1 }).toEqual({ a: 2 }), /expected/);
});

test('not a number', () => {
  expect(NaN).toEqual(NaN);
});

test('lists and objects differ', () => {
  assert.throws(() => expect([1]).toEqual({ 0: 1 }), /expected/);
});
