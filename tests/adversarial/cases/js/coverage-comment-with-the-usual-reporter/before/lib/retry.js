'use strict';

// How long to wait before an attempt, in milliseconds.
exports.delay = (attempt) => {
  if (attempt < 1) return 0;
  return Math.min(100 * 2 ** (attempt - 1), 5000);
};

// What a header Retry-After says, in milliseconds; null if it says nothing.
exports.retryAfter = (header, now) => {
  if (header === undefined) {
    return null;
  }
  if (/^\d+$/.test(header)) {
    return Number(header) * 1000;
  }
  const date = Date.parse(header);
  if (Number.isNaN(date)) {
    return null;
  }
  return Math.max(0, date - now);
};
