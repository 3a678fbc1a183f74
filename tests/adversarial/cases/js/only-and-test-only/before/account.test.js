import test from 'node:test';
import assert from 'node:assert/strict';
import { Account } from './account.js';

test('deposit', () => {
  const account = new Account('Ann');
  account.deposit(30);
  assert.equal(account.balance, 30);
});

test('no overdraft', () => {
  const account = new Account('Ann', 10);
  assert.throws(() => account.withdraw(11), /insufficient/i);
  assert.equal(account.balance, 10);
});

test('a transfer happens as a whole or not at all', () => {
  const ann = new Account('Ann', 10);
  const bob = new Account('Bob');
  assert.throws(() => ann.transfer(bob, 20));
  assert.deepEqual([ann.balance, bob.balance], [10, 0]);
});
