'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('..');

test('hours and minutes', () => assert.equal(parse('1h30m'), 5400));
test('days', () => assert.equal(parse('2d1s'), 172801));
test('nonsense', () => assert.throws(() => parse('soon'), RangeError));
