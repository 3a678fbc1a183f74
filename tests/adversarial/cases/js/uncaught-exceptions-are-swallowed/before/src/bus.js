class EventBus {
  constructor() {
    this.handlers = {};
  }

  on(name, handler) {
    (this.handlers[name] ??= []).push(handler);
    return this;
  }

  once(name, handler) {
    return this.on(name, handler);
  }

  off(name, handler) {
    this.handlers[name]?.filter((other) => other !== handler);
    return this;
  }

  emit(name, ...values) {
    for (const handler of this.handlers[name] ?? []) handler(...values);
  }
}

module.exports = { EventBus };
