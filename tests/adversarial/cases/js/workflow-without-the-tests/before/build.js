const fs = require('node:fs');
const { buildIndex } = require('./search');

const docs = { a: 'The cat', b: 'A dog and the cat' };
fs.mkdirSync('node_modules/.out', { recursive: true });
fs.writeFileSync('node_modules/.out/index.json', JSON.stringify(buildIndex(docs)));
