import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cheque } from '../lib/cheque.mjs';
import { spell } from '../lib/spell.mjs';

for (const [number, words] of [
  [0, 'zero'],
  [7, 'seven'],
  [13, 'thirteen'],
  [42, 'forty-two'],
  [90, 'ninety'],
  [100, 'one hundred'],
  [105, 'one hundred and five'],
  [999, 'nine hundred and ninety-nine'],
])
  test(`${number}`, () => assert.equal(spell(number), words));

test('on a cheque', () => assert.equal(cheque(300, 'Ann'), 'Pay Ann three hundred pounds only'));
