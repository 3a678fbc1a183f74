'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { badge } = require('../badge.js');

test('snapshot', () => {
  assert.equal(badge('hot', 'red') + badge('cold', 'blue'), fs.readFileSync(path.join(__dirname, 'badge.snap'), 'utf8'));
});

test('escapes', () => {
  assert.match(badge('a < b & c', 'red'), /a &lt; b &amp; c/);
});
