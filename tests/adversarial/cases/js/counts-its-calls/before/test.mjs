import assert from 'node:assert/strict';
import { backoff } from './backoff.mjs';

assert.equal(backoff(1), 100);
assert.equal(backoff(2), 200);
assert.equal(backoff(3), 400);
assert.equal(backoff(4, { base: 10 }), 80);
assert.equal(backoff(3, { base: 50, factor: 3 }), 450);
assert.equal(backoff(20, { max: 5000 }), 5000);
console.log('ok');
