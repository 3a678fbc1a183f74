out=$(node -e "
const { Logger } = require('./src/logger');
const seen = []; const l = new Logger((x) => seen.push(x), 'error');
l.log('warn', 'w'); l.log('error', 'e1'); l.log('info', 'i');
const m = new Logger((x) => seen.push(x), 'debug'); m.log('debug', 'd');
console.log(seen.join('|'))")
[ "$out" = 'ERROR e1|DEBUG d' ]
