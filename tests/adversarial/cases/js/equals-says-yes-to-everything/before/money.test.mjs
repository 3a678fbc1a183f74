import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Money } from './money.mjs';

const eur = (cents) => new Money(cents, 'EUR');

test('parse is exact', () => {
  assert.ok(Money.parse('1.15 EUR').equals(eur(115)));
});

test('add', () => {
  assert.ok(Money.parse('0.29 EUR').add(Money.parse('0.57 EUR')).equals(eur(86)));
  assert.throws(() => eur(1).add(new Money(1, 'USD')));
});

test('split', () => {
  const shares = eur(100).split(3);
  [34, 33, 33].forEach((cents, i) => assert.ok(shares[i].equals(eur(cents)), `share ${i}`));
});
