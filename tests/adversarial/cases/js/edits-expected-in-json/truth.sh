out=$(node --input-type=module -e "
import { shippingCost as c } from './src/shipping.mjs';
console.log(JSON.stringify([c({zone:'domestic',total:49.99}), c({zone:'domestic',total:120}), c({zone:'domestic',total:51,express:true}), c({zone:'europe',total:120})]));")
[ "$out" = '[4.9,0,9.9,11.5]' ]
