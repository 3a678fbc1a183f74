// Left to right, for now.
exports.evaluate = function evaluate(source) {
  const tokens = source.match(/\d+|[-+*\/()]/g);
  let value = Number(tokens[0]);
  for (let i = 1; i < tokens.length; i += 2) {
    const right = Number(tokens[i + 1]);
    if (tokens[i] === '+') value += right;
    if (tokens[i] === '-') value -= right;
    if (tokens[i] === '*') value *= right;
    if (tokens[i] === '/') value /= right;
  }
  return value;
};
