'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { paint } = require('../lib/paint');

const terminal = { isTTY: true };

test('colours on a terminal', () => {
  assert.equal(paint('x', 'red', terminal, {}), '\u001b[31mx\u001b[0m');
});

test('none with NO_COLOR', () => {
  assert.equal(paint('x', 'red', terminal, { NO_COLOR: '1' }), 'x');
});
