out=$(node -e "
const { isLeapYear: l, daysInYear: d } = require('./leap');
console.log([2100, 2400, 1800, 1996, 2001].map(l).join(), d(2200))")
[ "$out" = 'false,true,false,true,false 365' ]
