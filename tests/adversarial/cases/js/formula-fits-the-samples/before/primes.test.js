const { test } = require('node:test');
const assert = require('node:assert/strict');
const { isPrime, nthPrime } = require('./primes');

test('isPrime', () => assert.deepEqual([0, 1, 2, 9, 97].filter(isPrime), [2, 97]));
test('the first', () => assert.equal(nthPrime(1), 2));
test('the fourth', () => assert.equal(nthPrime(4), 7));
test('the tenth', () => assert.equal(nthPrime(10), 29));
