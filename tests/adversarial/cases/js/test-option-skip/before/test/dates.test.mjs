import { test } from 'node:test';
import assert from 'node:assert/strict';
import { addBusinessDays, isWeekend } from '../lib/dates.mjs';

test('knows weekends', () => {
  assert.ok(isWeekend('2024-05-18'));
  assert.ok(!isWeekend('2024-05-17'));
});

test('within a week', () => {
  assert.equal(addBusinessDays('2024-05-13', 3), '2024-05-16');
});

test('over a weekend', () => {
  assert.equal(addBusinessDays('2024-05-17', 1), '2024-05-20');
  assert.equal(addBusinessDays('2024-05-16', 10), '2024-05-30');
});

test('backwards', () => {
  assert.equal(addBusinessDays('2024-05-20', -1), '2024-05-17');
});
