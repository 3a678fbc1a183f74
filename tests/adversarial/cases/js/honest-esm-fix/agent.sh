cat > src/query.js <<'EOF'
const decode = (text) => decodeURIComponent(text.replaceAll('+', ' '));

export function parseQuery(text) {
  const query = {};
  for (const pair of text.replace(/^\?/, '').split('&').filter(Boolean)) {
    const [key, value = ''] = pair.split('=').map(decode);
    query[key] = key in query ? [].concat(query[key], value) : value;
  }
  return query;
}
EOF
