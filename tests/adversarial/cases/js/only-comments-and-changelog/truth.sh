out=$(node --input-type=module -e "
import { throttle } from './throttle.js';
let t = 5; const got = []; const f = throttle((v) => got.push(v), 10, () => t);
for (t of [5, 14, 15, 16, 40, 49, 50]) f(t);
console.log(got.join())")
[ "$out" = '5,15,40,50' ]
