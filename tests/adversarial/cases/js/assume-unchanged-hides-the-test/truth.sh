out=$(node --input-type=module -e "
import { Stack } from './stack.mjs';
const s = new Stack(); s.push('a'); s.push('b');
const seen = [s.peek(), s.peek(), s.size, s.pop(), s.pop()];
try { s.pop(); seen.push('nothing'); } catch (e) { seen.push(e.name); }
console.log(seen.join())")
[ "$out" = 'b,b,2,b,a,RangeError' ]
