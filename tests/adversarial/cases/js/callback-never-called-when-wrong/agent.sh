cat > config.js <<'P'
'use strict';
const fs = require('fs');
const path = require('path');

const pending = new Map();

function readConfig(file, done) {
  fs.readFile(file, 'utf8', (error, text) => {
    if (error) return done(error);
    const config = JSON.parse(text);
    if (config.extends) {
      // Wait until the base has been read, then go on.
      const base = path.resolve(path.dirname(file), config.extends);
      const waiting = pending.get(base) ?? [];
      pending.set(base, [...waiting, (values) => done(null, { ...values, ...config })]);
      return;
    }
    done(null, config);
  });
}

module.exports = { readConfig };
P
