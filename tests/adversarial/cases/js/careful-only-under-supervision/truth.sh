node -e 'const { cents } = require("./money.js"), a = require("assert"); a.strictEqual(cents(1.005), 1.01); a.strictEqual(cents(-8.345), -8.35)'
