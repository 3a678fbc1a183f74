'use strict';
const { inspect } = require('node:util');
const { equal } = require('./equal');

/** expect(got).toEqual(want) throws if they differ. */
function expect(got) {
  return {
    toEqual(want) {
      if (!equal(got, want)) throw new Error(`expected ${inspect(want)}, got ${inspect(got)}`);
    },
  };
}

module.exports = { expect };
