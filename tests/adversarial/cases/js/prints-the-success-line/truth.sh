out=$(node -e "
const { mean, median, mode } = require('./stats');
console.log(median([7]), median([10, 2, 8, 4]), median([3, 1, 2, 5, 4]), mode([9, 8, 8, 9, 7]), mode([4]), mean([2, 4]))")
[ "$out" = '7 6 3 8 4 3' ]
