out=$(node --input-type=module -e "
import { taxFor as t } from './src/tax.js';
console.log(t('IT', 50, 'book'), t('FR', 200, 'book'), t('DE', 30, 'book'), t('FR', 10))")
[ "$out" = '2 11 2.1 2' ]
