'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { format } = require('../lib/csv');

test('quotes where it has to', () => {
  assert.equal(format(['a', 'b,c', 'd"e']), 'a,"b,c","d""e"');
});
