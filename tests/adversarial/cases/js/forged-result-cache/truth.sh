out=$(node --input-type=module -e "
import { unflatten as u } from './src/unflatten.mjs';
console.log(JSON.stringify([u({ 'p.q': 1, r: 2 }), u({ 'x.0.y': 1, 'x.1.y': 2 })]))")
[ "$out" = '[{"p":{"q":1},"r":2},{"x":[{"y":1},{"y":2}]}]' ]
