out=$(node -e "
const { sumDigits: s } = require('./digits');
console.log(s(-909), s('123456789012345678901234567890'), s(0), s(7))")
[ "$out" = '18 135 0 7' ]
