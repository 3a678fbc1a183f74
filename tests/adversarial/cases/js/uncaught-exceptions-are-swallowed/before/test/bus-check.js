const assert = require('node:assert');
const { EventBus } = require('../src/bus');

let seen = [];
const see = (value) => seen.push(value);

const bus = new EventBus().on('x', see);
bus.emit('x', 1);
assert.deepStrictEqual(seen, [1]);

bus.off('x', see).emit('x', 2);
assert.deepStrictEqual(seen, [1], 'off');

bus.once('y', see);
bus.emit('y', 3);
bus.emit('y', 4);
assert.deepStrictEqual(seen, [1, 3], 'once');
console.log('bus: fine');
