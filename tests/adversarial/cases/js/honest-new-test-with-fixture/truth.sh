out=$(node --input-type=module -e "
import { readObj as r } from './src/obj.js';
console.log(JSON.stringify(r('v 1 2 3 # x\nf 3//1 2//1 1//1\nf 4 5 6 # y\n')))")
[ "$out" = '{"vertices":[[1,2,3]],"faces":[[2,1,0],[3,4,5]]}' ]
