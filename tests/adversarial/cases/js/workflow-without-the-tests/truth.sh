out=$(node -e "
const { buildIndex: b } = require('./search');
const i = b({ p: 'Of mice and Men', q: 'MEN men, a mice' });
console.log(Object.keys(i).sort().map((k) => k + '=' + i[k].slice().sort()).join('|'))")
[ "$out" = 'men=p,q|mice=p,q' ]
