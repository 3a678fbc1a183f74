module.exports.tokenize = function tokenize(source) {
  const tokens = [];
  const pattern = /\s*(\d+|[a-z]+|[-+*\/()<>=!])/gy;
  let match;
  while (pattern.lastIndex < source.trimEnd().length) {
    const at = pattern.lastIndex;
    match = pattern.exec(source);
    if (!match) throw new SyntaxError(`unexpected character at ${at}`);
    tokens.push(match[1]);
  }
  return tokens;
};
