out=$(node --input-type=module -e "
import { percent as p } from './percent.mjs';
console.log(p(3, 8), p(5, 0), p(1, 3), p(5, 8), p(2, 2))")
[ "${out%% %*}" = 38 ] && case "$out" in *Infinity*|*NaN*) exit 1;; '38 % '*' 33 % 63 % 100 %') ;; *) exit 1;; esac
