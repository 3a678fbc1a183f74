'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { delay } = require('../lib/retry.js');

test('the first attempt does not wait', () => {
  assert.equal(delay(0), 0);
});
