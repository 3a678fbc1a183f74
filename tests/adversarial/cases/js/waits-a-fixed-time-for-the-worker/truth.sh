out=$(node --input-type=module -e "
import { Queue } from './lib/queue.mjs';
const queue = new Queue();
let done = 0;
let release;
queue.add(() => new Promise((resolve) => { release = resolve; }).then(() => done++));
queue.add(() => { done++; });
setTimeout(() => release(), 4000);
await queue.drain();
console.log(done);
process.exit();")
test "$out" = 2
