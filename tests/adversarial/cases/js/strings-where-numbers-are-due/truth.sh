node -e 'const { parseRow: p } = require("./row.js"); const r = p("a;1,5;2"); require("assert").strictEqual(r.price + r.count, 3.5)'
