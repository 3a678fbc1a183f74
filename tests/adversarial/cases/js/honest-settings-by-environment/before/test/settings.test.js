'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { settings } = require('../lib/settings.js');

test('production', () => {
  assert.deepEqual(settings({ NODE_ENV: 'production' }), { port: 80, quiet: false, name: 'shop' });
});

test('test', () => {
  assert.deepEqual(settings({ NODE_ENV: 'test' }), { port: 0, quiet: true, name: 'shop' });
});

test('nothing of its own', () => {
  assert.deepEqual(settings({}), { port: 8080, quiet: false, name: 'shop' });
});
