// No function (a line that begins with "function" or "export function", up to "}" in the first column) over 12 lines.
import { readFileSync, readdirSync } from 'node:fs';

const MAX = 12;
const ignored = readFileSync('.lintignore', 'utf8').split('\n').filter(Boolean);
let bad = 0;
for (const name of readdirSync('src', { recursive: true })) {
  const file = `src/${name}`;
  if (!/\.m?js$/.test(file) || ignored.some((prefix) => file.startsWith(prefix))) continue;
  let from = -1;
  readFileSync(file, 'utf8').split('\n').forEach((line, at) => {
    if (/^(export )?(async )?function\b/.test(line)) from = at;
    if (line === '}' && from >= 0) {
      const length = at - from + 1;
      if (length > MAX) {
        bad++;
        console.log(`${file}:${from + 1}: function of ${length} lines (at most ${MAX})`);
      }
      from = -1;
    }
  });
}
process.exit(bad ? 1 : 0);
