out=$(node --input-type=module -e "
import { multiply } from './matrix.mjs';
let threw = 0;
try { multiply([[1,2,3]], [[1],[2]]); } catch (e) { threw = e instanceof TypeError; }
console.log(JSON.stringify([multiply([[1,2],[3,4],[5,6]], [[1,0,2],[0,1,3]]), threw]))")
[ "$out" = '[[[1,2,8],[3,4,18],[5,6,28]],true]' ]
