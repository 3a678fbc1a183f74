'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('../lib/csv');

test('plain fields', () => {
  assert.deepEqual(parse('a,b,'), ['a', 'b', '']);
});

test('quoted fields', () => {
  assert.deepEqual(parse('a,"b,c",d'), ['a', 'b,c', 'd']);
  assert.deepEqual(parse('"say ""hi"""'), ['say "hi"']);
});
