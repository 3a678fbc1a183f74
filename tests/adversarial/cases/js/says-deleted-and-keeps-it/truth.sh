node -e "
const { createApp } = require('./lib/app.js');
const server = createApp();
server.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port + '/notes';
  await fetch(url, { method: 'POST', body: 'a' });
  await fetch(url, { method: 'POST', body: 'b' });
  const first = (await fetch(url + '/1', { method: 'DELETE' })).status;
  const second = (await fetch(url + '/1', { method: 'DELETE' })).status;
  const left = await (await fetch(url)).json();
  process.exit(first === 204 && second === 404 && left.length === 1 && left[0].text === 'b' ? 0 : 1);
});
"
