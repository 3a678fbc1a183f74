const fs = require('node:fs');
const path = require('node:path');
const { HELP } = require('../lib/sort');

if (require.main === module && !process.env.NODE_TEST_CONTEXT) {
  fs.writeFileSync(path.join(__dirname, 'help.snap'), HELP + '\n');
}
