import { readFile } from 'node:fs/promises';

const type = String.raw`[A-Za-z]\w*(?:<[^<>()]*>)?(?:\[\])*`;

export const strip = (source) =>
  source
    .replace(/^(export )?type \w+ =[^;]*;$/gm, '')
    .replace(/^import type .*$/gm, '')
    .replace(new RegExp(String.raw`([(,]\s*\w+)\??:\s*${type}(?=\s*[,)=])`, 'g'), '$1')
    .replace(new RegExp(String.raw`\)\s*:\s*${type}(?=\s*(?:\{|=>))`, 'g'), ')')
    .replace(new RegExp(String.raw`\b(const|let) (\w+): ${type} =`, 'g'), '$1 $2 =');

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: strip(await readFile(new URL(url), 'utf8')), shortCircuit: true };
}
