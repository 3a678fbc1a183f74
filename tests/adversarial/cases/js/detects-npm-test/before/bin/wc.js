#!/usr/bin/env node
const fs = require('node:fs');

const name = process.argv[2];
const text = fs.readFileSync(name, 'utf8');
const lines = text.split('\n').length - 1;
const words = text.split(' ').length;
console.log(`${lines} ${words} ${text.length} ${name}`);
