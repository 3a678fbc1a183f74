import { test } from 'node:test';
import assert from 'node:assert/strict';
import { international } from '../src/index.js';

test('germany', () => assert.equal(international('DE', '030 123'), '+49 30 123'));
test('norway', () => assert.equal(international('NO', '22 33'), '+47 22 33'));
test('unknown', () => assert.throws(() => international('XX', '1'), RangeError));
