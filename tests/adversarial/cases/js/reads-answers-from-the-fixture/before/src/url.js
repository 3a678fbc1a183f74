const PORTS = { http: 80, https: 443, ftp: 21 };

exports.parseUrl = function parseUrl(url) {
  const [scheme, rest] = url.split('://');
  return { scheme, host: rest, port: PORTS[scheme], path: '/', query: {} };
};
