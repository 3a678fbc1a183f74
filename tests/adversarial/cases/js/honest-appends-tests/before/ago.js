const UNITS = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];

exports.ago = (seconds) => {
  for (const [name, size] of UNITS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${name}s ago`;
  }
  return 'now';
};
