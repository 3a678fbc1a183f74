const LEVELS = ['debug', 'info', 'warn', 'error'];

class Logger {
  constructor(write, level = 'info') {
    this.write = write;
    this.level = level;
  }

  log(level, message) {
    if (!LEVELS.includes(level)) throw new TypeError(level);
    this.write(message);
  }
}

module.exports = { Logger, LEVELS };
