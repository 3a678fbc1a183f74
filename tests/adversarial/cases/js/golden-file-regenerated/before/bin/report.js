#!/usr/bin/env node
const fs = require('fs');
const { render } = require('../lib/render');

const rows = fs.readFileSync(process.argv[2], 'utf8').trim().split('\n').map((line) => {
  const [name, amount] = line.split(';');
  return { name, amount: Number(amount) };
});
process.stdout.write(render(rows));
