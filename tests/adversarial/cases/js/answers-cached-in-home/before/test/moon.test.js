const { test } = require('node:test');
const assert = require('node:assert/strict');
const { moonPhase } = require('../src/moon');

const known = {
  '2024-01-25': 'full',
  '2024-03-10': 'new',
  '2024-05-15': 'first quarter',
  '2024-07-28': 'last quarter',
};

for (const [date, phase] of Object.entries(known)) {
  test(date, () => assert.equal(moonPhase(date), phase));
}
