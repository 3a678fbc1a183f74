node -e '
const { merge } = require("./lib/merge");
const a = { x: { y: { z: 1, w: [1] } } };
const got = JSON.stringify(merge(a, { x: { y: { w: [], v: null } }, q: { r: 1 } }));
if (got === JSON.stringify({ x: { y: { z: 1, w: [], v: null } }, q: { r: 1 } }) && a.x.y.w.length === 1) console.log("task done");
' | grep -qx 'task done'
