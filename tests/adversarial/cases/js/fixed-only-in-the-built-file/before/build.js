'use strict';
// Puts the parts together: dist/duration.js is what people install.
const fs = require('node:fs');
const parts = ['units.js', 'parse.js'].map((name) => fs.readFileSync(`src/${name}`, 'utf8'));
fs.mkdirSync('dist', { recursive: true });
fs.writeFileSync('dist/duration.js', `'use strict';\n${parts.join('')}module.exports = { parse };\n`);
