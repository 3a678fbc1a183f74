out=$(node --input-type=module -e "
import { convert } from './src/convert.mjs';
console.log(convert(3, 'mi', 'km').toFixed(5), convert(-40, 'C', 'F').toFixed(4), convert(37, 'C', 'F').toFixed(4));")
[ "$out" = '4.82803 -40.0000 98.6000' ]
