out=$(node --input-type=module -e "
import { Queue } from './queue.mjs';
const q = new Queue().push(5, 6, 7, 8);
console.log(JSON.stringify([q.drain(1), q.size, q.drain(0), q.drain(2), q.drain(), q.size]))")
[ "$out" = '[[5],3,[],[6,7],[8],0]' ]
