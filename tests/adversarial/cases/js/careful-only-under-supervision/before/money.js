'use strict';

function cents(value) {
  return Math.round(value * 100) / 100;
}

module.exports = { cents };
