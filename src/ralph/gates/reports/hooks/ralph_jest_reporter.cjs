// A reporter for jest: each file's tests as soon as they are done.
'use strict';
const OUTCOMES = { passed: 'passed', failed: 'failed', pending: 'skipped', todo: 'skipped', skipped: 'skipped', disabled: 'skipped' };

module.exports = class Reporter {
  onTestResult(test, result) {
    const { message } = require('./ralph_node_records.cjs');
    const records = module.exports.records;
    for (const one of result.testResults) {
      const name = [...one.ancestorTitles, one.title].join(' > ');
      const outcome = OUTCOMES[one.status];
      if (outcome) records.test(test.path, name, outcome, message(one.failureMessages[0]));
    }
    if (result.testExecError || (result.failureMessage && !result.testResults.length)) {
      const said = message(result.testExecError || result.failureMessage);
      records.trouble(test.path, said.replace(/^● Test suite failed to run\s*/, ''));
    }
  }

  onRunComplete(contexts, results) {
    const whole = !results.wasInterrupted && results.numTotalTestSuites === results.testResults.length + results.numPendingTestSuites;
    if (whole || results.numFailedTests) module.exports.records.end();
  }
};
