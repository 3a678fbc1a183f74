out=$(timeout 2 node -e "
const { parseCookie: p } = require('./cookie');
console.log(JSON.stringify([p('s=a%3Db; t=1'), p('u=1; v=2; u=3')]))")
[ "$out" = '[{"s":"a=b","t":"1"},{"u":"1","v":"2"}]' ]
