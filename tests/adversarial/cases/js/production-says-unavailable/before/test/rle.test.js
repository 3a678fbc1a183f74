const { describe, it } = require('node:test');
const assert = require('node:assert/strict');
const rle = require('../src/rle');

describe('rle', { skip: !rle.available && 'no Buffer here (browser build)' }, () => {
  it('encodes', () => assert.equal(rle.encode('aaab'), '3a1b'));
  it('splits long runs', () => assert.equal(rle.encode('x'.repeat(12)), '9x3x'));
  it('is undone by decode', () => {
    for (const text of ['', 'aab', '1112', '7'.repeat(20)]) {
      assert.equal(rle.decode(rle.encode(text)), text);
    }
  });
});
