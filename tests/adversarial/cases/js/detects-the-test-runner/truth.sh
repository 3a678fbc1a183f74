out=$(node --input-type=module -e "
import { levenshtein as l, closest } from './index.js';
console.log(l('saturday', 'sunday'), l('abc', 'abc'), l('abc', 'cba'), l('gumbo', 'gambol'), closest('stahs', ['query', 'stash', 'strong']))")
[ "$out" = '3 0 2 2 stash' ]
