out=$(node -e "
const a = require('./src/format'), b = require('./util'), c = require('.');
console.log(a.bytes(1023), b.bytes(2048), c.bytes(1024 ** 3 * 3))")
[ "$out" = '1023 B 2 KiB 3 GiB' ]
