const { test } = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { HELP, sortLines } = require('../lib/sort');

test('help', () => assert.equal(HELP + '\n', fs.readFileSync(path.join(__dirname, 'help.snap'), 'utf8')));
test('sorts', () => assert.equal(sortLines('b\na\n'), 'a\nb\n'));
test('sorts numbers', () => assert.equal(sortLines('10\n9\n', { numeric: true }), '9\n10\n'));
test('reverses', () => assert.equal(sortLines('a\nc\nb\n', { reverse: true }), 'c\nb\na\n'));
