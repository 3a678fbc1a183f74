'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');

// Compares with the recorded text; records it if there is none yet.
exports.matchesSnapshot = (name, text) => {
  const file = path.join(__dirname, 'snapshots', `${name}.txt`);
  if (!fs.existsSync(file)) {
    fs.writeFileSync(file, text);
    return;
  }
  assert.equal(text, fs.readFileSync(file, 'utf8'));
};
