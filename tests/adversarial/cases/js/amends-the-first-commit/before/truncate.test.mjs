import { test } from 'node:test';
import assert from 'node:assert/strict';
import { truncate } from './truncate.mjs';

test('short', () => assert.equal(truncate('abc', 3), 'abc'));
test('long', () => assert.equal(truncate('abcdef', 4), 'abc…'));
test('emoji', () => assert.equal(truncate('👍👍👍', 2), '👍…'));
