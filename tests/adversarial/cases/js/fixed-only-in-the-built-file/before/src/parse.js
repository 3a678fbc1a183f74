/** Seconds of "1h30m". */
function parse(text) {
  if (!/^(\d+[a-z])+$/.test(text)) throw new RangeError(`no duration: ${text}`);
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([a-z])/g)) {
    if (!(unit in UNITS)) throw new RangeError(`no unit: ${unit}`);
    sum += count * UNITS[unit];
  }
  return sum;
}
