import { Queue } from './queue.mjs';

export function mailer(send) {
  const queue = new Queue();
  return { post: (mail) => queue.add(() => send(mail)), close: () => queue.drain() };
}
