node -e '
const { pad } = require("./pad.js"), a = require("assert");
a.strictEqual(pad("xy", 6, { align: "center", fill: "-" }), "--xy--"); a.strictEqual(pad("x", 3, { align: "right" }), "  x");
a.throws(() => pad("x", 3, false, "."), TypeError);'
