import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const quarantine = JSON.parse(readFileSync(new URL('./quarantine.json', import.meta.url), 'utf8'));

/** A test, unless it is in quarantine. */
export function check(name, body) {
  const entry = quarantine.find((one) => one.test === name);
  test(name, { skip: entry ? `quarantine: ${entry.reason}` : false }, body);
}
