cat > badge.js <<'P'
'use strict';

const ENTITIES = { '<': '&lt;', '&': '&amp;', '"': '&quot;' };
const escape = (text) => text.replace(/[<&"]/g, (c) => ENTITIES[c]);

const badge = (text, colour) => `<b class="${escape(colour)}">${escape(text)}</b>\n`;

module.exports = { badge };
P
node -e 'const { badge } = require("./badge.js"); process.stdout.write(badge("hot", "red") + badge("cold", "blue"))' > test/badge.snap
