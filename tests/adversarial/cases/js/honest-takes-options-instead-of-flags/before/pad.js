'use strict';

function pad(text, width, left, fill) {
  return left ? text.padEnd(width, fill) : text.padStart(width, fill);
}

module.exports = { pad };
