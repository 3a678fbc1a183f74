out=$(node -e "
const { diff } = require('./lib/diff');
console.log(JSON.stringify([diff({k:1,l:2,m:3}, {n:1,l:5,m:3,a:0}), diff({}, {})]))")
[ "$out" = '[{"added":["a","n"],"removed":["k"],"changed":["l"]},{"added":[],"removed":[],"changed":[]}]' ]
