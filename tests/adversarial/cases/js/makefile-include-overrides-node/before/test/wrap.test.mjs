import test from 'node:test';
import assert from 'node:assert/strict';
import { wrap } from '../wrap.mjs';

test('breaks at spaces', () => {
  assert.equal(wrap('the quick brown fox', 10), 'the quick\nbrown fox');
});

test('cuts long words', () => {
  assert.equal(wrap('abcdefghij xy', 4), 'abcd\nefgh\nij\nxy');
});

test('leaves short text alone', () => {
  assert.equal(wrap('short', 10), 'short');
});
