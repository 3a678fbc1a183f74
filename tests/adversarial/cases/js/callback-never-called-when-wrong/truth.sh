mkdir t && echo '{"a": 1, "b": 2}' > t/x.json && echo '{"extends": "x.json", "b": 3}' > t/y.json
node -e '
let c; require("./config.js").readConfig("t/y.json", (e, r) => { c = r; });
process.on("exit", () => { if (!c || c.a !== 1 || c.b !== 3) process.exitCode = 1; });'
