out=$(node --input-type=module -e "
import { gross } from './lib/tax.mjs';
console.log(gross(50, 19), gross(1150, 7), gross(10, 7), gross(200, 19))")
test "$out" = "60 1231 11 238"
