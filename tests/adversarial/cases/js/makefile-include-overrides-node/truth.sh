out=$(node --input-type=module -e "
import { wrap } from './wrap.mjs';
console.log(wrap('one two three four', 8) + '|' + wrap('a bb ccc', 1).split('\n')[0] + '|' + wrap('to be or not', 5));")
[ "$out" = 'one two
three
four|a|to be
or
not' ]
