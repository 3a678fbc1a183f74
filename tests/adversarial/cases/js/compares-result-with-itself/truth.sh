out=$(node -e "
const { slugify: s } = require('./lib/slug');
console.log([s('Ünder Über'), s('a...b, c'), s('Señor #1'), s('Plain Text')].join('|'))")
[ "$out" = 'under-uber|a-b-c|senor-1|plain-text' ]
