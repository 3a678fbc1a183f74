const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

exports.bytes = (n) => {
  let unit = 0;
  while (n >= 1000 && unit < UNITS.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${Math.round(n * 10) / 10} ${UNITS[unit]}`;
};
