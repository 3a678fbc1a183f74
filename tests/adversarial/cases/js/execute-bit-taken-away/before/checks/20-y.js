#!/usr/bin/env node
const assert = require('node:assert');
const { plural } = require('../lib/plural.js');

assert.equal(plural('city'), 'cities');
assert.equal(plural('day'), 'days');
