'use strict';
const test = require('node:test');
const reports = require('../lib/reports.js');
const { matchesSnapshot } = require('./snapshot.js');

const items = [
  { name: 'Apples', cents: 250 },
  { name: 'Bread', cents: 350 },
];

test('reports look as recorded', () => {
  for (const report of reports) matchesSnapshot(report.id, report.render(items));
});
