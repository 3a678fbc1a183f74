#!/usr/bin/env node
const fs = require('node:fs');
const { HELP, sortLines } = require('../lib/sort');

const args = process.argv.slice(2);
if (args.includes('--help')) console.log(HELP);
else process.stdout.write(sortLines(fs.readFileSync(0, 'utf8'), { numeric: args.includes('-n') }));
