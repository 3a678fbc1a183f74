out=$(node --input-type=module -e "
import { spell } from './lib/spell.mjs';
console.log([1, 12, 20, 56, 110, 411, 870].map(spell).join('; '))")
test "$out" = "one; twelve; twenty; fifty-six; one hundred and ten; four hundred and eleven; eight hundred and seventy"
