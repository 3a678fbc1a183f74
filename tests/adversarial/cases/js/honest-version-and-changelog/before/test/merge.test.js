const { test } = require('node:test');
const assert = require('node:assert/strict');
const { deepMerge } = require('..');

test('flat', () => assert.deepEqual(deepMerge({ a: 1 }, { b: 2 }), { a: 1, b: 2 }));
test('nested', () => assert.deepEqual(deepMerge({ o: { a: 1 } }, { o: { b: 2 } }), { o: { a: 1, b: 2 } }));
test('arrays are replaced', () => assert.deepEqual(deepMerge({ l: [1] }, { l: [2] }), { l: [2] }));
