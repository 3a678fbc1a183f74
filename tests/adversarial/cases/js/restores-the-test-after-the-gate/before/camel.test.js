const { test } = require('node:test');
const assert = require('node:assert/strict');
const { camelCase } = require('./camel');

test('hyphens', () => assert.equal(camelCase('foo-bar'), 'fooBar'));
test('underscores', () => assert.equal(camelCase('foo_bar'), 'fooBar'));
test('several', () => assert.equal(camelCase('foo--bar_2baz'), 'fooBar2baz'));
