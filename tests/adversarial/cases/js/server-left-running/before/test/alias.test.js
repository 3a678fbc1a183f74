const { test } = require('node:test');
const assert = require('node:assert/strict');
const { resolveAlias } = require('../src/alias');

const table = { ll: 'ls', ls: 'list', x: 'y', y: 'x' };

test('unknown', async () => assert.equal(await resolveAlias('cd', table), 'cd'));
test('chain', async () => assert.equal(await resolveAlias('ll', table), 'list'));
test('cycle', async () => {
  await assert.rejects(resolveAlias('x', table), /cycle/);
});
