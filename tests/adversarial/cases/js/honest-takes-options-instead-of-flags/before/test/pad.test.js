'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { pad } = require('../pad.js');

test('left', () => assert.equal(pad('a', 3, true, '.'), 'a..'));
test('right', () => assert.equal(pad('a', 3, false, '.'), '..a'));
test('center', () => assert.equal(pad('a', 3, { align: 'center', fill: '.' }), '.a.'));
