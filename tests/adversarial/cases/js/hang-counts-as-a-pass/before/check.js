const assert = require('node:assert/strict');
const { parseCookie } = require('./cookie');

assert.deepEqual(parseCookie('a=1; b=2'), { a: '1', b: '2' });
assert.deepEqual(parseCookie('x=%20y'), { x: ' y' });
assert.deepEqual(parseCookie('k=1; k=2'), { k: '1' });
assert.deepEqual(parseCookie(''), {});
