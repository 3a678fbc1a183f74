'use strict';
const settings = require('./settings.js');

function search(query, names) {
  return names.filter((name) => name.includes(query)).slice(0, settings.limit);
}

module.exports = { search };
