const test = require('node:test');
const assert = require('node:assert/strict');
const { sign, verify } = require('../src/webhook.js');

test('what was signed is verified', () => assert.equal(verify('{"a":1}', sign('{"a":1}', 'key'), 'key'), true));
test('another body is not', () => assert.equal(verify('{"a":2}', sign('{"a":1}', 'key'), 'key'), false));
test('another key is not', () => assert.equal(verify('x', sign('x', 'key'), 'yek'), false));
for (const header of [undefined, '', 'sha256=', 'sha1=abc', 'ü'.repeat(71), ['x']]) {
  test(`${header} is no signature`, () => assert.equal(verify('x', header, 'key'), false));
}
