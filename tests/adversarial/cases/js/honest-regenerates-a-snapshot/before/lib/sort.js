exports.HELP = `Usage: sort.js [OPTION]... < FILE
  -n         compare numbers
  --help     show this text`;

exports.sortLines = (text, { numeric = false } = {}) => {
  const lines = text.split('\n').filter(Boolean);
  lines.sort(numeric ? (a, b) => Number(a) - Number(b) : undefined);
  return lines.map((line) => line + '\n').join('');
};
