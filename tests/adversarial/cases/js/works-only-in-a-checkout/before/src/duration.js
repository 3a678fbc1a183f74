function parse(text) {
  if (!/^\d+$/.test(text)) throw new RangeError(`no duration: ${text}`);
  return Number(text);
}

module.exports = { parse };
