out=$(node --input-type=module -e "
import { install, uninstall } from './lib/handy.mjs';
Array.prototype.sumBy = () => 'old';
install(); install();
const said = [[1].sumBy((n) => n), 'x-y z'.words().length];
for (const key in 'q') said.push(key);
uninstall();
said.push([1].sumBy(), typeof ''.words);
console.log(said.join(' '))")
test "$out" = "old 3 0 old undefined"
