export class Inventory {
  constructor(stock) {
    this.stock = { ...stock };
  }

  /** @param {Record<string, number>} wanted */
  reserve(wanted) {
    for (const [item, count] of Object.entries(wanted)) {
      if ((this.stock[item] ?? 0) < count) return false;
      this.stock[item] -= count;
    }
    return true;
  }

  release(items) {}
}
