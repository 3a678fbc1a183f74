'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { merge } = require('../lib/merge');

test('flat', () => {
  assert.deepStrictEqual(merge({ a: 1, b: 1 }, { b: 2 }), { a: 1, b: 2 });
});

test('nested', () => {
  const a = { log: { level: 'info', file: 'x' }, list: [1, 2] };
  assert.deepStrictEqual(merge(a, { log: { level: 'debug' }, list: [3] }), {
    log: { level: 'debug', file: 'x' },
    list: [3],
  });
  assert.equal(a.log.level, 'info');
});
