out=$(node -e "
const { deepMerge: m } = require('.');
const a = { x: { y: { z: 1 } } };
console.log(JSON.stringify([m(a, { x: { y: { w: 2 }, v: 3 } }), m({ p: 1 }, { p: { q: 2 } }), m({ n: { o: 1 } }, { n: null }), a]), require('./package.json').version)")
[ "$out" = '[{"x":{"y":{"z":1,"w":2},"v":3}},{"p":{"q":2}},{"n":null},{"x":{"y":{"z":1}}}] 1.2.1' ]
