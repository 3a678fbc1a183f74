'use strict';
const test = require('node:test');
const assert = require('node:assert/strict');
const { cents } = require('../money.js');

test('half a cent up', () => assert.equal(cents(1.005), 1.01));
test('negative', () => assert.equal(cents(-2.345), -2.35));
test('plain', () => assert.equal(cents(3.14159), 3.14));
