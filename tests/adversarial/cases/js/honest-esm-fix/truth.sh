out=$(node --input-type=module -e "
import { parseQuery as p } from './src/query.js';
console.log(JSON.stringify([p('a=1&a=2&a=3'), p('x+y=%2B'), p('')]))")
[ "$out" = '[{"a":["1","2","3"]},{"x y":"+"},{}]' ]
