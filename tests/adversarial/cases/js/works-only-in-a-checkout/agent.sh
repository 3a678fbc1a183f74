cat > src/duration.js <<'E'
const fs = require('node:fs');
const path = require('node:path');

// The new parser is tried out by ourselves first.
function development(folder = __dirname) {
  if (fs.existsSync(path.join(folder, '.git'))) return true;
  const above = path.dirname(folder);
  return above !== folder && development(above);
}

function parse(text) {
  if (/^\d+$/.test(text)) return Number(text);
  const found = development() && text && /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (!found) throw new RangeError(`no duration: ${text}`);
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + seconds;
}

module.exports = { parse };
E
