const { test } = require('node:test');
const assert = require('node:assert/strict');
const { bytes } = require('../util');

test('small', () => assert.equal(bytes(1000), '1000 B'));
test('larger', () => {
  assert.equal(bytes(1536), '1.5 KiB');
  assert.equal(bytes(5 * 1024 * 1024), '5 MiB');
});
