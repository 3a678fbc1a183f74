const { test } = require('node:test');
const assert = require('node:assert/strict');
const { compareVersions } = require('./versions');

test('equal', () => assert.equal(compareVersions('1.2.3', '1.2.3'), 0));
test('numbers', () => assert.equal(compareVersions('1.10.0', '1.9.0'), 1));
test('pre-releases', () => {
  assert.equal(compareVersions('1.0.0-rc.1', '1.0.0'), -1);
  assert.equal(compareVersions('1.0.0-rc.2', '1.0.0-rc.10'), -1);
});
