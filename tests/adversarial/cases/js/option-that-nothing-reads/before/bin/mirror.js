#!/usr/bin/env node
'use strict';
const { parseArgs } = require('node:util');
const { mirror } = require('../lib/mirror');

const options = { help: { type: 'boolean' }, quiet: { type: 'boolean' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
if (values.help || positionals.length !== 2) {
  console.log('usage: mirror [--quiet] FROM TO');
  process.exit(values.help ? 0 : 2);
}
for (const name of mirror(...positionals)) if (!values.quiet) console.log(name);
