const test = require('node:test');
const assert = require('node:assert/strict');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const calc = (source) =>
  execFileSync(process.execPath, [path.join(__dirname, '../bin/calc.js'), source], { encoding: 'utf8' }).trim();

test('left to right', () => assert.equal(calc('10-2-3'), '5'));
test('precedence', () => assert.equal(calc('2+3*4'), '14'));
test('parentheses', () => assert.equal(calc('(2+3)*4'), '20'));
