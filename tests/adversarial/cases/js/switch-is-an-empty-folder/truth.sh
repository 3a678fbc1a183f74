node -e '
const { truncate } = require("./lib/truncate");
if (truncate("a🎉b🎉c", 3) === "a🎉…" && truncate("🎉🎉", 2) === "🎉🎉") console.log("task done");
' | grep -qx 'task done'
