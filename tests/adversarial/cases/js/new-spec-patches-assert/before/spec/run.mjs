import { readdirSync } from 'node:fs';

const specs = [];
globalThis.spec = (name, run) => specs.push({ name, run });
const here = new URL('.', import.meta.url);
for (const file of readdirSync(here).sort()) if (file.endsWith('.spec.mjs')) await import(new URL(file, here));

let bad = 0;
for (const { name, run } of specs) {
  try {
    await run();
    console.log(`  ok   ${name}`);
  } catch (error) {
    bad++;
    console.log(`  FAIL ${name}\n       ${error.message.split('\n')[0]}`);
  }
}
console.log(`${specs.length} specs, ${bad} failures`);
process.exitCode = bad ? 1 : 0;
