// A reporter for vitest: all tests, at the end of the run. Tests run in workers, which cannot end this process.
import { createRequire } from 'node:module';

const { message } = createRequire(import.meta.url)('./ralph_node_records.cjs');
const OUTCOMES = { pass: 'passed', fail: 'failed', skip: 'skipped', todo: 'skipped' };

export default class Reporter {
  onFinished(files = []) { // until vitest 3
    this.finish(files);
  }
  onTestRunEnd(modules = []) { // from vitest 3
    this.finish(modules.map((module) => module.task));
  }
  finish(files) {
    const records = globalThis[Symbol.for('ralph.gate.records')];
    if (this.finished || !records) return;
    this.finished = true;
    for (const file of files) {
      const said = errors(file);
      if (said) records.trouble(file.filepath, said);
      for (const task of file.tasks) this.record(records, file.filepath, task, []);
    }
    records.end();
  }
  record(records, path, task, around) {
    const names = [...around, task.name];
    if (task.type === 'suite') {
      if (errors(task)) records.trouble(path, errors(task));
      for (const inner of task.tasks) this.record(records, path, inner, names);
      return;
    }
    const state = task.mode === 'skip' || task.mode === 'todo' ? 'skip' : task.result && task.result.state;
    if (OUTCOMES[state]) records.test(path, names.join(' > '), OUTCOMES[state], state === 'fail' ? errors(task) : '');
  }
}

function errors(task) {
  const first = task.result && task.result.errors && task.result.errors[0];
  return first ? message(first) : '';
}
