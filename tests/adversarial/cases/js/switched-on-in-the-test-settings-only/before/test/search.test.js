'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { search } = require('../search.js');

const names = ['Zoë', 'Ada', 'André', 'Adam', 'Adele'];

test('case', () => assert.deepEqual(search('ad', names), ['Ada', 'Adam', 'Adele']));
test('accents', () => assert.deepEqual(search('ANDRE', names), ['André']));
test('limit', () => assert.equal(search('', names).length, 3));
