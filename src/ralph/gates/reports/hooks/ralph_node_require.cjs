// Loaded by each Node of a gate: a run of jest or vitest gets one more reporter, a file of `node --test` that ends itself is
// reported, and so is a script that ends well although it never came to its assertions. Changes no outcome.
'use strict';
const ASSERTION = /(?<![\w.$])(?:assert(?!\.(?:fail|ifError)\b)[\w.]*|expect|t\.(?:is|equal|deepEqual|ok))\s*\(/;
const EXPECTED_NOT_TO_RUN = /(?:\.catch\s*\(|\.on\w*\s*\(\s*['"`](?:exit|error|beforeExit)['"`]\s*,|\bskip\s*\([^()]*)\s*(?:async\s*)?$/;

if (process.env.RALPH_GATE_REPORTS && require('node:worker_threads').isMainThread) {
  if (process.env.NODE_TEST_CONTEXT) {
    watchExit();
  } else {
    watchJest();
    askVitest();
    watchScript();
  }
}

// To the runner, a file that calls process.exit(0) before its first test has passed.
function watchExit() {
  const records = require('./ralph_node_records.cjs').begin('node');
  if (!records) return;
  const path = process.argv[1];
  let finished = false;
  process.on('beforeExit', () => {
    finished = true;
  });
  process.on('exit', (code) => {
    if (!finished && code === 0) records.trouble(path, 'ended itself by process.exit(0)');
    records.end();
  });
}

// jest-config gives jest its settings; those that it read get our reporter after the user's.
function watchJest() {
  const Module = require('node:module');
  const load = Module._load;
  Module._load = function (request) {
    const loaded = load.apply(this, arguments);
    return request === 'jest-config' && typeof loaded.readConfigs === 'function' ? withReporter(loaded) : loaded;
  };

  function withReporter(config) {
    async function readConfigs(argv, ...others) {
      if (!process.env.RALPH_GATE_REPORTS || argv.listTests || argv.showConfig || argv.clearCache) {
        return config.readConfigs(argv, ...others);
      }
      Module._load = load;
      const records = require('./ralph_node_records.cjs').begin('jest');
      const read = await config.readConfigs(argv, ...others);
      if (!records) return read;
      require('./ralph_jest_reporter.cjs').records = records;
      const theirs = read.globalConfig.reporters || [['default', {}]];
      const reporters = [...theirs, [require.resolve('./ralph_jest_reporter.cjs'), {}]];
      return { ...read, globalConfig: Object.freeze({ ...read.globalConfig, reporters }) };
    }
    return Object.create(config, { readConfigs: { value: readConfigs, enumerable: true } });
  }
}

// vitest takes reporters from its arguments; if it is given any, those of its configuration do not count.
function askVitest() {
  const { realpathSync } = require('node:fs');
  let program = '';
  try {
    program = realpathSync(process.argv[1] || '');
  } catch {
    return;
  }
  const others = ['bench', 'list', 'init', '--help', '-h', '--version', '-v', '--mergeReports'];
  if (!program.endsWith('/vitest/vitest.mjs') || process.argv.some((word) => others.includes(word))) return;
  const chosen = process.argv.some((word) => word.startsWith('--reporter'));
  const reporter = require.resolve('./ralph_vitest_reporter.mjs');
  const records = require('./ralph_node_records.cjs').begin('vitest');
  if (!records) return;
  globalThis[Symbol.for('ralph.gate.records')] = records;
  process.argv.push(...(chosen ? [] : ['--reporter=default']), `--reporter=${reporter}`);
}

// A script with assertions of its own: those in a callback that was never called, or after an `await` that never came back,
// did not hold; they were not asked. The engine counts what ran.
function watchScript() {
  try {
    const { readFileSync, realpathSync } = require('node:fs');
    const path = realpathSync(process.argv[1] || '');
    const source = readFileSync(path, 'utf8');
    if (path.includes('/node_modules/') || !ASSERTION.test(source)) return;
    const { Session } = require('node:inspector');
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    process.on('exit', (code) => {
      if (code === 0) session.post('Profiler.takePreciseCoverage', (error, found) => error || tell(path, source, found.result));
    });
  } catch {
    // no script, or an engine that does not count
  }
}

function tell(path, source, scripts) {
  const script = scripts.find((one) => one.url.endsWith(path));
  const missed = script ? script.functions.flatMap((one) => unreached(source, one)) : [];
  if (!missed.length) return;
  const records = require('./ralph_node_records.cjs').begin('script', { restore: false });
  if (!records) return;
  const lines = missed.map((at) => source.slice(0, at).split('\n').length);
  records.test(path, `assertions from line ${Math.min(...lines)} on`, 'failed', 'the script ended before it came to them');
  records.end();
}

// Where code with assertions begins that was not run: a callback, or the rest of a function.
function unreached(source, { functionName, ranges }) {
  const [whole, ...parts] = ranges;
  if (whole.count === 0) {
    const before = source.slice(Math.max(0, whole.startOffset - 80), whole.startOffset);
    const is_callback = functionName === '' && /[(,]\s*(?:async\s*)?$/.test(before) && !EXPECTED_NOT_TO_RUN.test(before);
    return is_callback && ASSERTION.test(source.slice(whole.startOffset, whole.endOffset)) ? [whole.startOffset] : [];
  }
  return parts.filter((one) => one.count === 0 && isRest(source, one, whole)).map((one) => one.startOffset);
}

// From an `await` that never came back to the end of its function.
function isRest(source, { startOffset, endOffset }, whole) {
  const after = source.slice(endOffset, whole.endOffset).replace('}', '').trim();
  const before = source.slice(Math.max(whole.startOffset, startOffset - 400), startOffset);
  return !after && /\bawait\b[^;]*;?\s*$/.test(before) && ASSERTION.test(source.slice(startOffset, endOffset));
}
