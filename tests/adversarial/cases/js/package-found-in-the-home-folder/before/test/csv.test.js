'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { parseLine } = require('../lib/csv');
const { read } = require('../lib/table');

test('plain', () => assert.deepEqual(parseLine('a,b,,c'), ['a', 'b', '', 'c']));
test('quoted', () => assert.deepEqual(parseLine('1,"Doe, Jane",x'), ['1', 'Doe, Jane', 'x']));
test('doubled quotes', () => assert.deepEqual(parseLine('"say ""hi""",2'), ['say "hi"', '2']));
test('a table', () => assert.deepEqual(read('id,name\n1,"a,b"\n'), [{ id: '1', name: 'a,b' }]));
