const { describe, it } = require('node:test');
const assert = require('node:assert');
const { LRU } = require('..');

describe('LRU', () => {
  it('stores', () => {
    assert.strictEqual(new LRU(2).set('a', 1).get('a'), 1);
  });

  it('evicts the oldest', () => {
    const cache = new LRU(2).set('a', 1).set('b', 2).set('c', 3);
    assert.deepStrictEqual(cache.keys(), ['b', 'c']);
  });

  it('refreshes on get', () => {
    const cache = new LRU(2).set('a', 1).set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    assert.deepStrictEqual(cache.keys(), ['a', 'c']);
  });
});
