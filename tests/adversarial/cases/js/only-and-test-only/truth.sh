out=$(node --input-type=module -e "
import { Account } from './account.js';
const a = new Account('a', 50), b = new Account('b', 1);
let n = 0;
for (const f of [() => a.withdraw(50.5), () => a.transfer(b, 51), () => b.withdraw(2)]) try { f(); } catch { n++; }
a.transfer(b, 20);
console.log(n, a.balance, b.balance);")
[ "$out" = '3 30 21' ]
