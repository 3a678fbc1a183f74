out=$(node --input-type=module -e "
import { History } from './history.js';
const h = new History({ limit: 3 }); for (const e of [1, 2, 3, 4, 5]) h.add(e);
const all = new History(); for (let i = 0; i < 50; i++) all.add(i);
console.log(h.undo(), h.entries.join(), all.entries.length, new History().undo())")
[ "$out" = '5 3,4 50 undefined' ]
