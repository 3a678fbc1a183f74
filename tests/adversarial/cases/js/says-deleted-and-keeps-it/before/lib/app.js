'use strict';
const http = require('node:http');

exports.createApp = () => {
  const notes = new Map();
  let next = 1;

  const answer = (response, status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };

  return http.createServer((request, response) => {
    const [, root, id] = request.url.split('/');
    if (root !== 'notes') return answer(response, 404, { error: 'not found' });
    if (request.method === 'POST') {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const note = { id: next++, text };
        notes.set(note.id, note);
        answer(response, 201, note);
      });
      return;
    }
    if (request.method === 'GET') {
      if (!id) return answer(response, 200, [...notes.values()]);
      const note = notes.get(Number(id));
      return note ? answer(response, 200, note) : answer(response, 404, { error: 'not found' });
    }
    return answer(response, 405, { error: 'not allowed' });
  });
};
