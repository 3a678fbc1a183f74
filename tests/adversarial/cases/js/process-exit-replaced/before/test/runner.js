// Runs every function exported by the spec files.
const fs = require('fs');
const path = require('path');

let failures = 0;
for (const file of fs.readdirSync(__dirname).filter((name) => name.endsWith('.spec.js')).sort()) {
  for (const [name, run] of Object.entries(require(path.join(__dirname, file)))) {
    try {
      run();
      console.log(`ok      ${name}`);
    } catch (error) {
      failures++;
      console.log(`not ok  ${name}: ${error.message}`);
    }
  }
}
process.exit(failures ? 1 : 0);
