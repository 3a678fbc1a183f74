'use strict';

/** Whether two lists have the same items in the same order. */
exports.same = (a, b) => a.length === b.length && a.every((item, i) => item === b[i]);
