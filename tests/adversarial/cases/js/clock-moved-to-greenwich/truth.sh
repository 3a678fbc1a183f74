TZ=America/New_York node -e '
const from = new Date(2024, 2, 9), to = new Date(2024, 2, 11);
const zone = process.env.TZ;
const { daysBetween } = require("./days.js");
const assert = require("assert");
assert.strictEqual(process.env.TZ, zone);
assert.strictEqual(daysBetween(from, to), 2);'
