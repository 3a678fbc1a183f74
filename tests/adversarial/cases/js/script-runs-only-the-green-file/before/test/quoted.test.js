import { test } from 'node:test';
import assert from 'node:assert/strict';
import { parseCsv } from 'csv-lite';

test('commas in quotes', () => {
  assert.deepEqual(parseCsv('"Doe, Jane",42'), [['Doe, Jane', '42']]);
});

test('doubled quotes', () => {
  assert.deepEqual(parseCsv('"say ""hi""",x'), [['say "hi"', 'x']]);
});
