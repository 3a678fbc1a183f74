export class Queue {
  #items = [];

  push(...items) {
    this.#items.push(...items);
    return this;
  }

  get size() {
    return this.#items.length;
  }

  drain(limit = Infinity) {
    const all = this.#items;
    this.#items = [];
    return all.reverse();
  }
}
