const test = require('node:test');
const assert = require('node:assert/strict');
const { parseDuration } = require('../src/duration');

const good = [
  ['45s', 45],
  ['10m', 600],
  ['1h30m', 5400],
  ['1.5h', 5400],
  ['2d', 172800],
  ['1d2h3m4s', 93784],
];

for (const [text, seconds] of good) {
  test(`parses ${text}`, () => assert.equal(parseDuration(text), seconds));
}

for (const text of ['', 'h', '5', '3x']) {
  test(`refuses "${text}"`, () => assert.throws(() => parseDuration(text), SyntaxError));
}
