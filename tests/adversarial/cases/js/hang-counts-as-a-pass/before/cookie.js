exports.parseCookie = (header) =>
  Object.fromEntries(header.split(';').map((pair) => pair.split('=')));
