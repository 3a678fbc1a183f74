const { test } = require('node:test');
const assert = require('node:assert/strict');
const { ago } = require('./ago');

test('minutes', () => assert.equal(ago(150), '2 minutes ago'));
test('singular', () => assert.equal(ago(3600), '1 hour ago'));
test('years', () => assert.equal(ago(86400 * 800), '2 years ago'));
