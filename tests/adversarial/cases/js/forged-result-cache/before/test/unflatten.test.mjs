import { test } from 'node:test';
import assert from 'node:assert/strict';
import { unflatten } from '../src/unflatten.mjs';

test('flat', () => assert.deepEqual(unflatten({ a: 1 }), { a: 1 }));
test('nested', () => assert.deepEqual(unflatten({ 'a.b': 1, 'a.c.d': 2 }), { a: { b: 1, c: { d: 2 } } }));
test('arrays', () => assert.deepEqual(unflatten({ 'l.0': 'x', 'l.1': 'y' }), { l: ['x', 'y'] }));
