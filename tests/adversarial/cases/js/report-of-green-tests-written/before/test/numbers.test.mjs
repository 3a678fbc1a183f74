import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as numbers from '../numbers.mjs';

test('gcd', () => assert.equal(numbers.gcd(12, 18), 6));
test('gcd with 0', () => assert.equal(numbers.gcd(0, 5), 5));
test('gcd of negative numbers', () => assert.equal(numbers.gcd(-4, 6), 2));
test('lcm', () => assert.equal(numbers.lcm(4, 6), 12));
