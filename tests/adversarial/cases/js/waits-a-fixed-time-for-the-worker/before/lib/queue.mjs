/** Does one job after the other. */
export class Queue {
  #last = Promise.resolve();

  add(job) {
    const done = this.#last.then(job);
    this.#last = done.catch(() => {});
    return done;
  }

  async drain() {}
}
