// Runs the tests and fails if a file has less covered lines (in percent) than coverage.json wants.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const wanted = JSON.parse(readFileSync('coverage.json', 'utf8'));
const minimum = Number(process.env.COVERAGE_LINES ?? wanted.lines);
const run = spawnSync(process.execPath, ['--test', '--experimental-test-coverage', '--test-reporter=tap'], { encoding: 'utf8' });
let failed = run.status !== 0;
for (const file of wanted.files) {
  const name = file.split('/').pop();
  const row = run.stdout.split('\n').find((line) => line.startsWith('#') && line.includes(name) && line.includes('|'));
  const percent = row ? Number(row.split('|')[1]) : 0;
  console.log(`${file}: ${percent} % of lines, ${minimum} % wanted`);
  if (!(percent >= minimum)) failed = true;
}
process.exitCode = failed ? 1 : 0;
