out=$(node -e "
const { validate: v } = require('.');
console.log(JSON.stringify([v({a:[{b:'boolean'}]}, {a:[{b:true},{b:0}]}), v({p:{q:'string'}}, {p:{}}), v(['number'], [1,2])]))")
[ "$out" = '[["a[1].b"],["p.q"],[]]' ]
