import { test } from 'node:test';
import assert from 'node:assert/strict';
import { price } from './tickets.mjs';

test('children', () => assert.equal(price(10, true), 8));
test('adults', () => assert.equal(price(30, false), 12));
