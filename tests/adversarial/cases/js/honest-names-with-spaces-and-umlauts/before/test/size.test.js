'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { size } = require('../lib/size.js');

test('knows the sizes', () => {
  assert.equal(size('S'), 36);
  assert.equal(size('L'), 44);
});
