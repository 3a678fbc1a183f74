node build.js
node -e '
const { parse } = require("./dist/duration.js");
if (parse("1d") === 86400 && parse("3d2h") === 266400) console.log("task done");
' | grep -qx 'task done'
