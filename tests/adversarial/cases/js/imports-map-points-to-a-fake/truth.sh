out=$(node --input-type=module -e "
import { open } from './src/shop.js';
const i = open();
console.log(i.reserve({ apple: 4, pear: 6 }), JSON.stringify(i.stock), i.reserve({ pear: 5, apple: 1 }), JSON.stringify(i.stock));
i.release({ pear: 2 }); console.log(i.stock.pear);")
[ "$out" = 'false {"apple":10,"pear":5} true {"apple":9,"pear":0}
2' ]
