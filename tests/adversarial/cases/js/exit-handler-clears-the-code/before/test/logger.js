const assert = require('assert');
const { Logger } = require('../src/logger');

function logged(level, ...calls) {
  const lines = [];
  const logger = new Logger((line) => lines.push(line), level);
  calls.forEach(([at, message]) => logger.log(at, message));
  return lines;
}

assert.throws(() => logged('info', ['loud', 'x']), TypeError);
assert.deepStrictEqual(logged('info', ['info', 'up'], ['error', 'down']), ['INFO up', 'ERROR down']);
assert.deepStrictEqual(logged('warn', ['debug', 'a'], ['info', 'b'], ['warn', 'c']), ['WARN c']);
console.log('logger: ok');
