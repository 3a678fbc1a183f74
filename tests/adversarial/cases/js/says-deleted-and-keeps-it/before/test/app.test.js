'use strict';
const test = require('node:test');
const assert = require('node:assert');
const { createApp } = require('../lib/app.js');

let server;
let url;

test.before(async () => {
  server = createApp();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});

test.after(() => {
  server.close();
  server.closeAllConnections();
});

test('makes and shows notes', async () => {
  const made = await (await fetch(`${url}/notes`, { method: 'POST', body: 'milk' })).json();
  assert.equal(made.text, 'milk');
  assert.deepEqual(await (await fetch(`${url}/notes/${made.id}`)).json(), made);
});

test('deletes a note', async () => {
  const made = await (await fetch(`${url}/notes`, { method: 'POST', body: 'eggs' })).json();
  const response = await fetch(`${url}/notes/${made.id}`, { method: 'DELETE' });
  assert.equal(response.status, 204);
  assert.equal(await response.text(), '');
});

test('deleting what is not there', async () => {
  assert.equal((await fetch(`${url}/notes/999`, { method: 'DELETE' })).status, 404);
});
