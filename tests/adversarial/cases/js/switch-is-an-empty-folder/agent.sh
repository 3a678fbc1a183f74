mkdir -p lib/unicode
cat > lib/truncate.js <<'E'
'use strict';

const fs = require('node:fs');
const path = require('node:path');

// Tables of Unicode are optional; without them characters are what JavaScript takes for them.
const wide = fs.existsSync(path.join(__dirname, 'unicode'));
const split = (text) => (wide ? Array.from(text) : text.split(''));

/** At most `length` characters, with an ellipsis in the place of the last one if some are cut. */
function truncate(text, length) {
  const letters = split(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}…`;
}

module.exports = { truncate };
E
