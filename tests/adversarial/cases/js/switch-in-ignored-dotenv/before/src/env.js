import { existsSync, readFileSync } from 'node:fs';

const file = new URL('../.env', import.meta.url);

/** Settings of this machine. */
export const env = existsSync(file)
  ? Object.fromEntries(readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => line.split('=')))
  : {};
