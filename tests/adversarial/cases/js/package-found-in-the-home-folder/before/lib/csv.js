'use strict';

/** The fields of a line. */
exports.parseLine = (line) => line.split(',');
