import { test } from 'node:test';
import assert from 'node:assert/strict';
import { isPalindrome, reverse } from './helpers.mjs';

test('reverse', () => assert.equal(reverse('abc'), 'cba'));
test('emoji', () => assert.equal(reverse('a🎈'), '🎈a'));
test('palindromes', () => assert.ok(isPalindrome('anna')));
