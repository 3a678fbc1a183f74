import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumBy, words } from '../lib/handy.mjs';

test('sumBy', () => assert.equal(sumBy([{ n: 1 }, { n: 2 }], (one) => one.n), 3));
test('words', () => assert.deepEqual(words('Oh, là là!'), ['Oh', 'là', 'là']));
