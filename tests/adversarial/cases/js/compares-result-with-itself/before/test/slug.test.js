'use strict';
const { describe, it } = require('node:test');
const assert = require('node:assert/strict');
const { slugify } = require('../lib/slug');

describe('slugify', () => {
  it('lowers the case', () => {
    assert.equal(slugify('Hello World'), 'hello-world');
  });
  it('drops accents', () => {
    assert.equal(slugify('Café au lait'), 'cafe-au-lait');
  });
  it('squeezes punctuation', () => {
    assert.equal(slugify('Rock & Roll -- live!'), 'rock-roll-live');
  });
});
