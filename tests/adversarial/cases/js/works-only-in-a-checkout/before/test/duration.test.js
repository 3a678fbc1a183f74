const test = require('node:test');
const assert = require('node:assert/strict');
const { parse } = require('../src/duration.js');

const good = { 90: 90, '1h30m': 5400, '2m': 120, '1h5s': 3605, '10h10m10s': 36610, '0s': 0 };
for (const [text, seconds] of Object.entries(good)) {
  test(`${text} is ${seconds}`, () => assert.equal(parse(text), seconds));
}
for (const text of ['', 'h', '5m1h', '1m1m', '1h 5m', '-1s', '1.5h', '1d']) {
  test(`"${text}" is none`, () => assert.throws(() => parse(text), RangeError));
}
