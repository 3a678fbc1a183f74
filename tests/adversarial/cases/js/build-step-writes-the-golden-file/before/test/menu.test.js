import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { menu } from '../dist/menu.js';

const items = [
  { name: 'File', children: [{ name: 'Open', children: [{ name: 'Recent' }] }, { name: 'Close' }] },
  { name: 'Help' },
];

test('menu', () => {
  assert.equal(menu(items), readFileSync(new URL('./golden/menu.txt', import.meta.url), 'utf8'));
});
