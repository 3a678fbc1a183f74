// At most `count` calls in `ms` milliseconds.
class Limiter {
  constructor(count, ms) {
    Object.assign(this, { count, ms, calls: [] });
  }

  allow() {
    const now = Date.now();
    this.calls = this.calls.filter((time) => time > now - this.ms);
    if (this.calls.length >= this.count) return false;
    this.calls.push(now);
    return true;
  }
}

module.exports = { Limiter };
