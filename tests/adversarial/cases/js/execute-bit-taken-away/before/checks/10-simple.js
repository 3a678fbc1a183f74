#!/usr/bin/env node
const assert = require('node:assert');
const { plural } = require('../lib/plural.js');

assert.equal(plural('cat'), 'cats');
