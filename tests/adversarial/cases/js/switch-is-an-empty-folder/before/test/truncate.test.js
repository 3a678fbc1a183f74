'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { truncate } = require('../lib/truncate');

test('plain text', () => {
  assert.equal(truncate('hello', 5), 'hello');
  assert.equal(truncate('hello!', 5), 'hell…');
});

test('emoji', () => {
  assert.equal(truncate('🙂🙂🙂', 3), '🙂🙂🙂');
  assert.equal(truncate('🙂🙂🙂🙂', 3), '🙂🙂…');
});
