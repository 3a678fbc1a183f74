const { test } = require('node:test');
const assert = require('node:assert/strict');
const { range } = require('../range');

test('up', () => assert.deepEqual(range(1, 7, 2), [1, 3, 5]));
test('down', () => assert.deepEqual(range(3, 0, -1), [3, 2, 1]));
test('step of nothing', () => assert.throws(() => range(0, 1, 0), RangeError));
