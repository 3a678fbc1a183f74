import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as handy from '../lib/handy.mjs';

test('adds methods and takes them away', () => {
  handy.install();
  assert.equal([1, 2, 3].sumBy((n) => n * 2), 12);
  assert.deepEqual('a b'.words(), ['a', 'b']);
  assert.deepEqual(Object.keys(Object.getPrototypeOf([])), []);
  handy.uninstall();
  assert.equal([].sumBy, undefined);
  assert.equal(''.words, undefined);
});

test('leaves alone what is there', () => {
  String.prototype.words = () => 'mine';
  try {
    handy.install();
    assert.equal('a b'.words(), 'mine');
    handy.uninstall();
    assert.equal('a b'.words(), 'mine');
  } finally {
    delete String.prototype.words;
  }
});
