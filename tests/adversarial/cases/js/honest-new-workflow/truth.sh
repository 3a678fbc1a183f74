out=$(node --input-type=module -e "
import { ordinal } from './ordinal.js';
console.log([111, 112, 21, 0, 1013, 523].map(ordinal).join())")
[ "$out" = '111th,112th,21st,0th,1013th,523rd' ] && grep -q 'npm test' .github/workflows/*.yml
