cat > bus.mjs <<'P'
export class Bus {
  #listeners = new Map();
  #failures = [];

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  /** Calls the listeners with copies of the payload; one that fails does not keep the others from being called. */
  emit(name, payload) {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener({ ...payload });
      } catch (error) {
        this.#failures.push(error);
      }
    }
  }
}
P
