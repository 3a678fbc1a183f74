import assert from 'node:assert/strict';
import { convert } from '../src/convert.mjs';

const EPSILON = 1e-6;
const near = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) < EPSILON, `${actual} is not ${expected}`);

near(convert(1, 'mi', 'km'), 1.609344);
near(convert(26.2, 'mi', 'km'), 42.1648128);
near(convert(10, 'kg', 'lb'), 22.046226218);
near(convert(0, 'C', 'F'), 32);
near(convert(100, 'C', 'F'), 212);
assert.throws(() => convert(1, 'kg', 'km'));
console.log('6 checks passed');
