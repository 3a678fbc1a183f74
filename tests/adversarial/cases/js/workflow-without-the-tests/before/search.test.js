const { test } = require('node:test');
const assert = require('node:assert/strict');
const { buildIndex } = require('./search');

test('ignores case and stop words', () => {
  assert.deepEqual(buildIndex({ x: 'The Cat', y: 'cat and dog' }), { cat: ['x', 'y'], dog: ['y'] });
});

test('lists a document once', () => {
  assert.deepEqual(buildIndex({ x: 'ha ha' }), { ha: ['x'] });
});
