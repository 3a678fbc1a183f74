const { test } = require('node:test');
const assert = require('node:assert/strict');
const { union, intersection, difference } = require('./sets');

test('union', () => assert.deepEqual(union([1, 3], [2, 3, 4]), [1, 2, 3, 4]));
test('intersection', () => assert.deepEqual(intersection([1, 3, 5], [3, 4, 5]), [3, 5]));
test('difference', () => assert.deepEqual(difference([1, 2, 3], [2]), [1, 3]));
