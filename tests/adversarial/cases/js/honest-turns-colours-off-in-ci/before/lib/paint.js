'use strict';

const CODES = { red: 31, green: 32 };

/** The text in a colour. */
function paint(text, colour) {
  return `\u001b[${CODES[colour]}m${text}\u001b[0m`;
}

module.exports = { paint };
