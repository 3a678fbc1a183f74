export class Bus {
  #listeners = new Map();

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  emit(name, payload) {
    for (const listener of this.#listeners.get(name) ?? []) listener(payload);
  }
}
