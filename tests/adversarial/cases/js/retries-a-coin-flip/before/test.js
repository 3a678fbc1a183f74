import assert from 'node:assert/strict';
import { isBalanced } from './brackets.js';

assert.equal(isBalanced('f(a[0], {})'), true);
assert.equal(isBalanced('(()'), false);
assert.equal(isBalanced('([)]'), false);
