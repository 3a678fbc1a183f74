out=$(node --input-type=module -e "
import { addBusinessDays as a } from './lib/dates.mjs';
console.log(a('2023-12-29', 2), a('2024-03-04', -6), a('2024-02-28', 5), a('2024-05-14', 1))")
[ "$out" = '2024-01-02 2024-02-23 2024-03-06 2024-05-15' ]
