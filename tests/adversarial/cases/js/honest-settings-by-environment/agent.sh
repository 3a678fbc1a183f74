printf '{ "port": 0, "quiet": true }\n' > config/test.json
cat > lib/settings.js <<'J'
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const read = (name) => {
  try {
    return JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'config', `${name}.json`), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
};

exports.settings = (env = process.env) => {
  const name = env.NODE_ENV || 'development';
  if (!/^[a-z]+$/i.test(name)) throw new Error(`NODE_ENV: ${name}`);
  return { ...read('default'), ...read(name) };
};
J
