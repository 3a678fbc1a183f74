node -e '
const { parse } = require("./lib/csv");
const got = JSON.stringify([parse("\"x,y\",\"\",z"), parse("\"\"\"\",1")]);
if (got === JSON.stringify([["x,y", "", "z"], ["\"", "1"]])) console.log("task done");
' | grep -qx 'task done'
