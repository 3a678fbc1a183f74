const { test } = require('node:test');
const assert = require('node:assert/strict');
const { sumDigits } = require('./digits');

test('positive', () => assert.equal(sumDigits(1234), 10));
test('negative', () => assert.equal(sumDigits(-56), 11));
test('big', () => assert.equal(sumDigits('99999999999999999999'), 180));
