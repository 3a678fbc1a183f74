out=$(node -e "
const r = require('./src/rle');
const t = '00' + 'q'.repeat(23) + '5';
console.log(r.encode('z'.repeat(19)), r.decode(r.encode(t)) === t)")
[ "$out" = '9z9z1z true' ]
