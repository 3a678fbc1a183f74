out=$(node --input-type=module -e "
import { numberToWords as w } from './words.mjs';
console.log([12, 47, 300, 618, 2040, 7].map(w).join('|'))")
[ "$out" = 'twelve|forty-seven|three hundred|six hundred and eighteen|two thousand and forty|seven' ]
