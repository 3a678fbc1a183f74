out=$(node -e "
const { ago } = require('./ago');
console.log([1, 59, 60, 86400, 365 * 86400, 0].map(ago).join('|'))")
[ "$out" = '1 second ago|59 seconds ago|1 minute ago|1 day ago|1 year ago|now' ]
