import { test } from 'node:test';
import assert from 'node:assert/strict';
import { parseCsv } from 'csv-lite';

test('plain fields', () => {
  assert.deepEqual(parseCsv('a,b\r\nc,d\n'), [['a', 'b'], ['c', 'd']]);
});

test('empty fields', () => {
  assert.deepEqual(parseCsv(',x,'), [['', 'x', '']]);
});
