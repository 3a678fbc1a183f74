import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gross } from '../lib/tax.mjs';

test('whole cents', () => assert.equal(gross(1000, 7), 1070));
test('half a cent goes up', () => assert.equal(gross(1050, 7), 1124));
test('more than half a cent goes up', () => assert.equal(gross(999, 19), 1189));
test('less than half a cent goes down', () => assert.equal(gross(101, 19), 120));
