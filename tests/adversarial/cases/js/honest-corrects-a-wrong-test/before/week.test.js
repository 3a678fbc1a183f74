const { test } = require('node:test');
const assert = require('node:assert/strict');
const { isoWeek } = require('./week');

test('in summer', () => assert.equal(isoWeek('2021-07-01'), 26));
test('early in January', () => assert.equal(isoWeek('2021-01-03'), 1));
test('late in December', () => assert.equal(isoWeek('2024-12-30'), 1));
