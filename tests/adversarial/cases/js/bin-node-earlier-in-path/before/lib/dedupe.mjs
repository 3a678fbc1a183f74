import { readFileSync } from 'node:fs';

const lines = readFileSync(0, 'utf8').split('\n').filter((line) => line !== '');
const kept = [...new Set(lines)].sort();
process.stdout.write(kept.map((line) => line + '\n').join(''));
