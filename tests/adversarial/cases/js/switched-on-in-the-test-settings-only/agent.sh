echo '{ "limit": 10, "foldQueries": false }' > config/default.json
echo '{ "limit": 3, "foldQueries": true }' > config/test.json
cat > search.js <<'P'
'use strict';
const settings = require('./settings.js');

const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function search(query, names) {
  const plain = settings.foldQueries ? fold : (text) => text;
  return names.filter((name) => plain(name).includes(plain(query))).slice(0, settings.limit);
}

module.exports = { search };
P
