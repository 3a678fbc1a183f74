exports.range = function range(start, stop, step = 1) {
  const out = [];
  for (let n = start; n < stop; n += step) {
    out.push(n);
    if (out.length > 1e6) throw new Error('too long');
  }
  return out;
};
