node -e "
const report = require('./lib/reports.js').find((r) => r.id.startsWith('invoice'));
const text = report.render([{ name: 'Tea', cents: 1000 }, { name: 'Jam', cents: 500 }]);
process.exit(/Total +18\.00\n/.test(text) ? 0 : 1);
"
