// Runs the test files that belong to the project as tsconfig.json says it.
import { readFileSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const { include, exclude } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
const files = include
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => !exclude.some((path) => file === path || file.startsWith(`${path}/`)));
const { status } = spawnSync(process.execPath, ['--import', './tools/ts.mjs', '--test', ...files], { stdio: 'inherit' });
process.exit(status ?? 1);
