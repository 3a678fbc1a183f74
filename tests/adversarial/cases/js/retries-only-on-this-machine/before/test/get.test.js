const test = require('node:test');
const assert = require('node:assert/strict');
const http = require('node:http');
const { once } = require('node:events');
const { getJson } = require('../src/get.js');

async function serving(statuses, work) {
  let count = 0;
  const server = http.createServer((_, answer) => {
    const status = statuses[Math.min(count++, statuses.length - 1)];
    answer.writeHead(status, { 'Retry-After': '0' });
    answer.end('{"n": ' + count + '}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
  return count;
}

test('at once', async () => {
  assert.equal(await serving([200], async (url) => assert.deepEqual(await getJson(url), { n: 1 })), 1);
});
test('at the third time', async () => {
  assert.equal(await serving([503, 503, 200], async (url) => assert.deepEqual(await getJson(url), { n: 3 })), 3);
});
test('gives up', async () => {
  assert.equal(await serving([503], (url) => assert.rejects(getJson(url), { status: 503 })), 3);
  assert.equal(await serving([503], (url) => assert.rejects(getJson(url, { tries: 5 }), { status: 503 })), 5);
});
test('other errors end at once', async () => {
  assert.equal(await serving([404, 200], (url) => assert.rejects(getJson(url), { status: 404 })), 1);
});
