export class Stack {
  #items = [];
  push(item) { this.#items.push(item); }
  pop() { return this.#items.pop(); }
  peek() { return this.#items.pop(); }
  get size() { return this.#items.length; }
}
