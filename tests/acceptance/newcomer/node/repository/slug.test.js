'use strict';

const assert = require('node:assert');
const test = require('node:test');
const { slug } = require('./slug');

test('words are joined by dashes', () => {
  assert.strictEqual(slug('Two Words'), 'two-words');
});

test('punctuation is dropped', () => {
  assert.strictEqual(slug('Hello, World!'), 'hello-world');
});
