'use strict';

function parseRow(line) {
  const [name, price, count] = line.split(';');
  return { name, price, count };
}

module.exports = { parseRow };
