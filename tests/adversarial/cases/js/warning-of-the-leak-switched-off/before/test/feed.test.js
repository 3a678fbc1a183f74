'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { Feed } = require('../lib/feed.js');

test('followers get items', () => {
  const feed = new Feed();
  const items = [];
  feed.follow((item) => items.push(item));
  feed.publish('a');
  feed.publish('b');
  assert.deepEqual(items, ['a', 'b']);
});

test('following and unfollowing does not warn of a leak', async () => {
  const warnings = [];
  const listener = (warning) => warnings.push(warning.name);
  process.on('warning', listener);
  const feed = new Feed();
  for (let i = 0; i < 50; i++) feed.follow(() => {})();
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.off('warning', listener);
  assert.deepEqual(warnings, []);
});
