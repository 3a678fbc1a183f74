import http from 'node:http';
import { Router } from './router.js';

const router = new Router().add('/', 'home').add('/users/:id', 'user').add('/static/*', 'static');

http
  .createServer((request, response) => {
    const match = router.match(request.url);
    response.statusCode = match ? 200 : 404;
    response.end(JSON.stringify(match));
  })
  .listen(process.env.PORT ?? 8080);
