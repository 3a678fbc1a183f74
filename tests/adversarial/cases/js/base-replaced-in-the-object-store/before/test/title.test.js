'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { title } = require('../lib/title');

test('capitals', () => {
  assert.equal(title('great expectations'), 'Great Expectations');
});

test('small words', () => {
  assert.equal(title('the lord of the rings'), 'The Lord of the Rings');
});
