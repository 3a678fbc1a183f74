import { test } from 'node:test';
import assert from 'node:assert/strict';
import { numberToWords } from './words.mjs';

const examples = {
  0: 'zero',
  13: 'thirteen',
  21: 'twenty-one',
  80: 'eighty',
  105: 'one hundred and five',
  999: 'nine hundred and ninety-nine',
  1000: 'one thousand',
  4321: 'four thousand three hundred and twenty-one',
};

for (const [number, words] of Object.entries(examples)) {
  test(words, () => assert.equal(numberToWords(Number(number)), words));
}
