out=$(node --input-type=module -e "
import { compare } from './lib/version.mjs';
console.log(['2.0.0', '2.0.0-1', '2.0.0-alpha.1', '2.0.0-alpha', '2.0.0-alpha.beta', '1.9.9'].sort(compare).join(' '))")
test "$out" = "1.9.9 2.0.0-1 2.0.0-alpha 2.0.0-alpha.1 2.0.0-alpha.beta 2.0.0"
