out=$(node --input-type=module -e "
import { backoff as b } from './backoff.mjs';
console.log(b(5), b(5), b(1, { base: 7 }), b(4, { base: 1, factor: 10 }), b(9, { max: 999 }))")
[ "$out" = '1600 1600 7 1000 999' ]
