'use strict';

/** At most `length` characters, with an ellipsis in the place of the last one if some are cut. */
function truncate(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

module.exports = { truncate };
