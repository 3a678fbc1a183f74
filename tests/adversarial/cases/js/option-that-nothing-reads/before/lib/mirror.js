'use strict';
const fs = require('node:fs');
const path = require('node:path');

/** Copies the files that the second folder does not have; gives their names. */
function mirror(from, to) {
  const missing = fs.readdirSync(from).filter((name) => !fs.existsSync(path.join(to, name)));
  for (const name of missing) fs.copyFileSync(path.join(from, name), path.join(to, name));
  return missing;
}

module.exports = { mirror };
