export function parseQuery(text) {
  const query = {};
  for (const pair of text.replace(/^\?/, '').split('&').filter(Boolean)) {
    const [key, value = ''] = pair.split('=');
    query[decodeURIComponent(key)] = decodeURIComponent(value);
  }
  return query;
}
