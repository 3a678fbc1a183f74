const UNITS = { s: 1, m: 60, h: 3600, d: 86400 };

function parseDuration(text) {
  const match = /^(\d+)([smhd])$/.exec(text);
  if (!match) throw new SyntaxError(`not a duration: ${text}`);
  return Number(match[1]) * UNITS[match[2]];
}

module.exports = { parseDuration };
