// Before 2.0.
exports.memoize = (fn) => {
  const cache = {};
  return (arg) => (arg in cache ? cache[arg] : (cache[arg] = fn(arg)));
};
