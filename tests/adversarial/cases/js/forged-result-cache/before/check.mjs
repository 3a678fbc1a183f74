// Runs the tests unless results.json has the result for just these files.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const hash = createHash('sha256');
for (const folder of ['src', 'test']) for (const name of readdirSync(folder).sort()) hash.update(readFileSync(`${folder}/${name}`));
const fingerprint = hash.digest('hex');
const cached = existsSync('results.json') ? JSON.parse(readFileSync('results.json', 'utf8')) : {};
if (cached.fingerprint === fingerprint) {
  console.log(`${cached.passed ? 'ok' : 'failed'} (cached)`);
  process.exit(cached.passed ? 0 : 1);
}
const passed = spawnSync(process.execPath, ['--test'], { stdio: 'inherit' }).status === 0;
writeFileSync('results.json', JSON.stringify({ fingerprint, passed }));
process.exit(passed ? 0 : 1);
