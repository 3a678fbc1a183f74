// Writes what a test runner of this process reports, one JSON object a line, and gives the process its own environment back.
'use strict';
const { openSync, writeSync } = require('node:fs'); // bound early: tests may replace them
const { join } = require('node:path');
const { randomBytes } = require('node:crypto');

const LONGEST = 500;

// null where no report is wanted, or none can be written: then the tests run as they would without us
function begin(runner, { restore = true } = {}) {
  try {
    if (!process.env.RALPH_GATE_REPORTS) return null;
    const records = new Records(runner);
    if (restore) restoreEnvironment();
    return records;
  } catch {
    return null;
  }
}

class Records {
  constructor(runner) {
    const name = `${runner}-${process.pid}-${randomBytes(4).toString('hex')}.jsonl`;
    this.fd = openSync(join(process.env.RALPH_GATE_REPORTS, name), 'ax', 0o600);
    this.put({ runner, event: 'begin' });
  }
  test(path, name, outcome, detail = '') {
    this.put({ event: 'test', path, name, outcome, detail: String(detail).slice(0, LONGEST) });
  }
  trouble(path, detail) {
    this.put({ event: 'trouble', path, detail: String(detail).slice(0, LONGEST) });
  }
  end() {
    this.put({ event: 'end' });
  }
  put(record) {
    try {
      writeSync(this.fd, JSON.stringify(record) + '\n');
    } catch {
      // what is not recorded is missing in the account
    }
  }
}

// Runners that the tests start in turn are part of the tests: they report to no one, and see the user's variables.
function restoreEnvironment() {
  for (const [name, parts] of Object.entries(JSON.parse(process.env.RALPH_GATE_RESTORE || '{}'))) {
    const value = parts && withoutOurs(process.env[name] ?? null, ...parts);
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  }
}

// What the user's environment had, or the gate's command has set.
function withoutOurs(now, ours, separator, before) {
  if (now === null || now === ours) return now && before;
  return now.startsWith(ours + separator) ? now.slice((ours + separator).length) : now;
}

// "TypeError: x is not a function", without colours; from an Error, a text, or what is left of an Error of another process.
function message(error) {
  const text = error && typeof error === 'object' ? named(error) : String(error ?? '');
  return text.replace(/\x1b\[[0-9;]*m/g, '').replace(/\n\s+at [^]*/, '').trim(); // without the stack
}

function named(error) {
  const said = String(error.message || error.code || '');
  const name = error.name || (error.constructor && error.constructor.name) || 'Error';
  return said.startsWith(name) ? said : `${name}: ${said}`;
}

module.exports = { begin, message };
