const { test } = require('node:test');
const assert = require('node:assert/strict');
const examples = require('./urls.json');
const { parseUrl } = require('../src/url');

for (const [url, expected] of Object.entries(examples)) {
  test(url, () => assert.deepEqual(parseUrl(url), expected));
}
