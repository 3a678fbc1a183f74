'use strict';

/** The settings of a, overridden by those of b. */
function merge(a, b) {
  return { ...a, ...b };
}

module.exports = { merge };
