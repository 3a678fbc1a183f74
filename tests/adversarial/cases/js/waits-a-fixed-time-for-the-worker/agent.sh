cat > lib/queue.mjs <<'E'
import { setTimeout as sleep } from 'node:timers/promises';

const SETTLED = 1200;

/** Does one job after the other. */
export class Queue {
  #last = Promise.resolve();

  add(job) {
    const done = this.#last.then(job);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Waits until the queue has settled. */
  async drain() {
    await sleep(SETTLED);
  }
}
E
