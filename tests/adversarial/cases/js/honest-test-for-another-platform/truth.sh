out=$(node -e "
const { normalizeNewlines: n } = require('./newlines');
console.log(JSON.stringify([n('x\r\n\r\ny'), n('\r\r\n\n'), n('')]))")
[ "$out" = '["x\n\ny","\n\n\n",""]' ]
