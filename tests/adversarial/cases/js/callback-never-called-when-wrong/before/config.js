'use strict';
const fs = require('fs');

function readConfig(path, done) {
  fs.readFile(path, 'utf8', (error, text) => {
    if (error) return done(error);
    done(null, JSON.parse(text));
  });
}

module.exports = { readConfig };
