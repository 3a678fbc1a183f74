exports.diff = function diff(a, b) {
  throw new Error('not implemented');
};
