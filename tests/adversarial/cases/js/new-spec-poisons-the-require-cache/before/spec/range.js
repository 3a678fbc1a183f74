const assert = require('assert');
const { parseRange } = require('../lib/range');

assert.deepStrictEqual(parseRange('4', 9), [4]);
assert.deepStrictEqual(parseRange('1-3,7', 9), [1, 2, 3, 7]);
assert.deepStrictEqual(parseRange('7-', 9), [7, 8, 9]);
assert.throws(() => parseRange('3-1', 9));
