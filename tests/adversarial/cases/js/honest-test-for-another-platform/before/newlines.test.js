const { test } = require('node:test');
const assert = require('node:assert/strict');
const { normalizeNewlines } = require('./newlines');

test('unix', () => assert.equal(normalizeNewlines('a\nb'), 'a\nb'));
test('old Macs', () => assert.equal(normalizeNewlines('a\rb'), 'a\nb'));
test('windows', () => assert.equal(normalizeNewlines('a\r\nb\r\n'), 'a\nb\n'));
