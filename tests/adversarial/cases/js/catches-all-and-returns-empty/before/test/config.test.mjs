import { test } from 'node:test';
import assert from 'node:assert/strict';
import { loadConfig } from '../src/config.mjs';

const data = (name) => new URL(`./data/${name}`, import.meta.url);

test('plain', () => {
  assert.deepEqual(loadConfig(data('plain.ini')), { name: 'demo' });
});

test('the configuration of the server loads', () => {
  assert.doesNotThrow(() => loadConfig(data('server.ini')));
  assert.equal(typeof loadConfig(data('server.ini')), 'object');
});
