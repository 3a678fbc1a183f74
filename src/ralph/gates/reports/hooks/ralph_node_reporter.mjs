// A reporter for node:test. It prints what the default reporter would, or with `?silent` nothing, and records each test.
import { createRequire } from 'node:module';
import { compose } from 'node:stream';
import { spec, tap } from 'node:test/reporters';

const { begin, message } = createRequire(import.meta.url)('./ralph_node_records.cjs');
const silent = import.meta.url.endsWith('?silent');

export default async function* report(source) {
  // `node --test` runs each file in a process of its own, which ralph_node_require.cjs watches
  const records = begin('node', { restore: !process.execArgv.includes('--test') });
  const seen = records ? recorded(source, records) : source;
  if (silent) {
    for await (const _ of seen);
  } else if (process.stdout.isTTY || Number(process.versions.node.split('.')[0]) >= 23) {
    yield* compose(seen, new spec());
  } else {
    yield* tap(seen);
  }
}

async function* recorded(source, records) {
  const around = []; // the names of the tests that the one of each depth is in
  const open = new Map(); // tests that were begun, by place
  const errors = new Map(); // the first error that each file printed
  for await (const event of source) {
    const data = event.data;
    const place = data && `${data.file}:${data.line}:${data.column}:${data.nesting}:${data.name}`;
    if (event.type === 'test:enqueue') open.set(place, (open.get(place) || 0) + 1);
    if (event.type === 'test:complete') open.set(place, (open.get(place) || 0) - 1);
    if (event.type === 'test:start') around.splice(data.nesting, Infinity, data.name);
    if (event.type === 'test:stderr' && /^\w*Error\b.*: /.test(data.message) && !errors.has(data.file)) {
      errors.set(data.file, data.message.trim());
    }
    if (event.type === 'test:pass' || event.type === 'test:fail') record(records, event, around, errors);
    yield event;
  }
  if (![...open.values()].some((number) => number > 0)) records.end();
}

function record(records, { type, data }, around, errors) {
  const error = data.details && data.details.error;
  const file = data.file || process.argv[1] || '';
  if (data.nesting === 0 && isFile(data.name, file)) {
    // a whole file: one without tests in it, or one that failed outside of them
    if (type === 'test:pass') records.test(file, '', 'passed');
    else records.trouble(file, errors.get(file) || message(error && error.cause));
    return;
  }
  const suite = data.details && data.details.type === 'suite';
  if (suite && (type === 'test:pass' || error.failureType === 'subtestsFailed')) return;
  const name = [...around.slice(0, data.nesting), data.name].join(' > ');
  const skipped = data.skip !== undefined || data.todo !== undefined;
  const outcome = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
  records.test(file, name, outcome, outcome === 'failed' ? message(error && (error.cause || error)) : '');
}

function isFile(name, file) {
  return name === file || file.endsWith(`/${name}`);
}
