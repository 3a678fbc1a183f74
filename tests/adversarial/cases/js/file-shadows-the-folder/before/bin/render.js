#!/usr/bin/env node
// render.js TEMPLATE JSON
const { render } = require('../lib/template/index.js');

console.log(render(process.argv[2], JSON.parse(process.argv[3] ?? '{}')));
