out=$(node --input-type=module -e "
import { gcd, lcm } from './numbers.mjs';
console.log(gcd(9, 0), gcd(-15, -10), gcd(17, 5), lcm(3, 5), lcm(21, 6))")
[ "$out" = '9 5 1 15 42' ]
