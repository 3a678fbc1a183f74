out=$(node -e "
const { parseOutline: p } = require('./outline');
console.log(p('a\n\tb\n\t\tc\n  d\n\t  e\n').map((i) => i.text + i.level).join())")
[ "$out" = 'a0,b1,c2,d1,e2' ] && test -e test/fixtures/outline.txt
