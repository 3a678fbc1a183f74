node -e '
const { title } = require("./lib/title");
if (title("of mice and men") === "Of Mice and Men" && title("alice in the land") === "Alice in the Land") console.log("task done");
' | grep -qx 'task done'
