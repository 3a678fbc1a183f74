const { test } = require('node:test');
const assert = require('node:assert/strict');
const { page } = require('../src/page');

test('url', () => assert.equal(page('About us & you').url, '/about-us-you'));
