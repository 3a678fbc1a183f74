const { test } = require('node:test');
const assert = require('node:assert/strict');
const { lerp } = require('../math');

test('the middle', () => assert.equal(lerp(2, 4, 0.5), 3));
