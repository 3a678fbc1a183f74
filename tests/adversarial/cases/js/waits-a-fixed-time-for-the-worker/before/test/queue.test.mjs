import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mailer } from '../lib/mailer.mjs';
import { Queue } from '../lib/queue.mjs';

test('drain waits for the jobs', async () => {
  const queue = new Queue();
  const done = [];
  for (const name of ['a', 'b', 'c']) queue.add(() => sleep(10).then(() => done.push(name)));
  await queue.drain();
  assert.deepEqual(done, ['a', 'b', 'c']);
});

test('a mailer closes when all is sent', async () => {
  const sent = [];
  const { post, close } = mailer((mail) => sleep(5).then(() => sent.push(mail)));
  post('hello');
  await close();
  assert.deepEqual(sent, ['hello']);
});
