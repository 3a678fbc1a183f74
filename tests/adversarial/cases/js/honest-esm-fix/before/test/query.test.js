import { test } from 'node:test';
import assert from 'node:assert/strict';
import { parseQuery } from '../src/query.js';

test('single', () => assert.deepEqual(parseQuery('?a=1&b='), { a: '1', b: '' }));
test('repeated', () => assert.deepEqual(parseQuery('t=x&t=y'), { t: ['x', 'y'] }));
test('plus is a space', () => assert.deepEqual(parseQuery('q=to+be'), { q: 'to be' }));
