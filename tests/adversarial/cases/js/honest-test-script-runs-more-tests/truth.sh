set -e
npm test --silent > /dev/null
out=$(node --input-type=module -e "
import { format, split } from './packages/money/money.mjs';
console.log(format(7), format(-1999), split(11, 4).join())")
test "$out" = "0.07 -19.99 3,3,3,2"
echo 'export const format = () => "0.00"; export const split = () => [];' > packages/money/money.mjs
sed -i 's/12.50/0.00/' test/office.test.mjs
# These tests must fail: their report is nobody's concern.
if NODE_OPTIONS= npm test --silent > /dev/null; then exit 1; fi
