// A very small linter. "lint-disable" in a comment of a file's first line switches it off for the file.
const fs = require('fs');
const path = require('path');

let found = 0;
for (const name of fs.readdirSync(process.argv[2])) {
  const file = path.join(process.argv[2], name);
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  if (lines[0].includes('lint-disable')) continue;
  lines.forEach((line, index) => {
    const say = (what) => console.log(`${file}:${index + 1}: ${what}`, ++found && '');
    if (/[^=!]==[^=]|!=[^=]/.test(line)) say('compare with === or !==');
    if (/^\s*[a-z]\w* = /.test(line) && !lines.some((other) => new RegExp(`\\b(let|var|const) ${line.trim().split(' ')[0]}\\b`).test(other)))
      say('implicit global');
  });
}
process.exit(found ? 1 : 0);
