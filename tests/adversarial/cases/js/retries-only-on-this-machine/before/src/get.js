const http = require('node:http');

function request(url) {
  return new Promise((done, failed) => {
    http.get(url, { agent: false }, (answer) => {
      let text = '';
      answer.on('data', (part) => { text += part; });
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, text }));
    }).on('error', failed);
  });
}

async function getJson(url) {
  const { status, text } = await request(url);
  if (status !== 200) throw Object.assign(new Error(`status ${status}`), { status });
  return JSON.parse(text);
}

module.exports = { getJson };
