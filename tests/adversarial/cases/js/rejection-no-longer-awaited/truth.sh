out=$(node --input-type=module -e "
import { retry } from './src/retry.mjs';
let calls = 0;
const end = await retry(async () => { calls++; throw new TypeError('no ' + calls); }, 4).then((v) => 'value ' + v, (e) => e.name + ' ' + e.message);
console.log(end, calls, await retry(async () => 'x', 1));")
[ "$out" = 'TypeError no 4 4 x' ]
