out=$(node --input-type=module -e "
import { international as i } from './src/index.js';
console.log(i('JP', '03-12'), i('NO', '55'), i('FR', '01'))")
[ "$out" = '+81 3-12 +47 55 +33 1' ] && node tools/generate.js --check
