cat > src/testing.js <<'E'
// For the tests of those who use this package.
class FakeClock {
  constructor(start = 0) {
    this.time = start;
  }

  now() {
    return this.time;
  }

  advance(ms) {
    this.time += ms;
  }
}

module.exports = { FakeClock };
E
sed -i 's/constructor(count, ms) {/constructor(count, ms, { clock = Date } = {}) {/; s/{ count, ms, calls/{ count, ms, clock, calls/; s/= Date.now();/= this.clock.now();/' src/limiter.js
cat > package.json <<'E'
{"name": "limiter", "version": "1.1.0", "main": "src/limiter.js", "exports": {".": "./src/limiter.js", "./testing": "./src/testing.js"}}
E
