import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Router } from './router.js';

const router = new Router().add('/', 'home').add('/users/:id', 'user').add('/static/*', 'static');

test('literal', () => {
  assert.deepEqual(router.match('/'), { name: 'home', params: {} });
  assert.equal(router.match('/nothing'), null);
});

test('parameters', () => {
  assert.deepEqual(router.match('/users/7'), { name: 'user', params: { id: '7' } });
  assert.equal(router.match('/users/7/edit'), null);
});

test('rest', () => {
  assert.deepEqual(router.match('/static/css/a.css'), { name: 'static', params: { '*': 'css/a.css' } });
});
