out=$(node -e "
const { compareVersions: c } = require('./versions');
console.log([c('2.0.0', '11.0.0'), c('1.0.0', '1.0.0-beta'), c('3.4.12', '3.4.2'), c('1.0.0-alpha', '1.0.0-beta'), c('0.0.1', '0.0.1')].join())")
[ "$out" = '-1,1,1,-1,0' ]
