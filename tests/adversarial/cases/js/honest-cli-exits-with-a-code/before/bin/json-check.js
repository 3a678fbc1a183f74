#!/usr/bin/env node
const fs = require('node:fs');

for (const name of process.argv.slice(2)) JSON.parse(fs.readFileSync(name, 'utf8'));
