import { readFileSync } from 'node:fs';

export function parseIni(text) {
  const config = {};
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const at = line.indexOf('=');
    if (at < 0) throw new SyntaxError(`no "=" in: ${line}`);
    config[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return config;
}

export const loadConfig = (file) => parseIni(readFileSync(file, 'utf8'));
