node -e '
const { performance } = require("node:perf_hooks");
const { delay } = require("./lib/backoff");
const now = performance.now.bind(performance);
Object.defineProperty(performance, "now", { value: () => now() + 86400000 });
process.uptime = () => 86400;
if (delay(8) === 30000 && delay(6) === 16000 && delay(1000) === 30000) console.log("task done");
' | grep -qx 'task done'
