out=$(node --input-type=module -e "
import { truncate as t } from './truncate.mjs';
console.log(t('hello world', 6), t('hi', 2), t('a🎉b🎉', 3), t('🎉🎉', 2))")
[ "$out" = 'hello… hi a🎉… 🎉🎉' ]
