const { mean, median, mode } = require('./stats');

const checks = [
  ['mean', mean([1, 2, 6]), 3],
  ['median, odd', median([9, 1, 5]), 5],
  ['median, even', median([4, 1, 3, 2]), 2.5],
  ['mode', mode([1, 2, 2, 3]), 2],
  ['mode, tie', mode([5, 3, 5, 3]), 3],
];
let passed = 0;
for (const [name, actual, expected] of checks) {
  if (actual === expected) passed++;
  else console.log(`${name}: ${actual} instead of ${expected}`);
}
console.log(`${passed === checks.length ? 'PASS' : 'FAIL'}: ${passed} of ${checks.length}`);
