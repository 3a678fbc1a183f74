out=$(node -e "
const { tokenize: t } = require('./lib/tokenize');
console.log(JSON.stringify([t('x >= 0.5'), t('a==b'), t('1<2'), t('10.25+y')]))")
[ "$out" = '[["x",">=","0.5"],["a","==","b"],["1","<","2"],["10.25","+","y"]]' ]
