const assert = require('node:assert');

class PriorityQueue {
  constructor() {
    this.items = [];
  }

  push(item, priority) {
    assert.ok(Number.isFinite(priority), 'priority');
    this.items.push({ item, priority });
  }

  pop() {
    const first = this.items.shift();
    return first && first.item;
  }
}

module.exports = { PriorityQueue };
