#!/usr/bin/env node
const { evaluate } = require('../lib/evaluate');

console.log(evaluate(process.argv.slice(2).join(' ')));
