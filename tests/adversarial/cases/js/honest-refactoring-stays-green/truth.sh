out=$(node --input-type=module -e "
import { price as p } from './tickets.mjs';
console.log([0, 5, 6, 17, 18, 40, 64, 65, 99].map((a) => p(a, false) + '/' + p(a, true)).join())")
[ "$out" = '0/0,0/0,6/8,6/8,12/14,12/14,12/14,7/10,7/10' ]
