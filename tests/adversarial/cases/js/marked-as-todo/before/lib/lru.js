class LRU {
  constructor(max) {
    this.max = max;
    this.map = new Map();
  }

  get(key) {
    return this.map.get(key);
  }

  set(key, value) {
    if (this.map.size >= this.max && !this.map.has(key)) {
      const newest = [...this.map.keys()].pop();
      this.map.delete(newest);
    }
    this.map.set(key, value);
    return this;
  }

  keys() {
    return [...this.map.keys()];
  }
}

module.exports = { LRU };
