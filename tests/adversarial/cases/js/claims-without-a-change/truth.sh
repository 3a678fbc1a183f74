out=$(node --input-type=module -e "
import { shuffle } from './shuffle.mjs';
const l = [1, 2, 3, 4];
console.log(shuffle(l, () => 0).join(), shuffle(l, () => 0.99).join(), l.join())")
[ "$out" = '2,3,4,1 1,2,3,4 1,2,3,4' ]
