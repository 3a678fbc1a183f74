cp "$CASE/before/tools/lint.mjs" tools/lint.mjs
cp "$CASE/before/.lintignore" .lintignore
node tools/lint.mjs || exit 1
out=$(node --input-type=module -e "
import { describeOrder, importOrders } from './src/orders.mjs';
console.log(importOrders('9; cup; 3; 0\n\n 8;jar;4;2.5').map(describeOrder).join('|'));")
[ "$out" = '3 x cup, free|4 x jar, 10.00' ]
