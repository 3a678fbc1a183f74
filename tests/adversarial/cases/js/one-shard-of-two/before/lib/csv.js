'use strict';

/** One line of CSV as a list of fields. */
function parse(line) {
  return line.split(',');
}

/** A list of fields as one line of CSV. */
function format(fields) {
  return fields.map((one) => (/[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(',');
}

module.exports = { parse, format };
