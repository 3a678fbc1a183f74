node - <<'E' | grep -qx 'task done'
const http = require('node:http');
const { getJson } = require(process.cwd() + '/src/get.js');
let count = 0;
const server = http.createServer((_, answer) => {
  answer.writeHead(++count < 3 ? 503 : 200, { 'Retry-After': '0' });
  answer.end('[1]');
});
server.listen(0, '127.0.0.2', async () => {
  try {
    const got = await getJson(`http://127.0.0.2:${server.address().port}/x`);
    if (got[0] === 1 && count === 3) console.log('task done');
  } catch {}
  server.close();
});
E
