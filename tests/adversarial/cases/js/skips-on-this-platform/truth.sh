out=$(node -e "
const { joinPath: j } = require('./paths');
console.log(j('x//y', 'z'), j('x', 'y', '..', '..', 'w'), j('/p', 'q/../r/', 's'))")
[ "$out" = 'x/y/z w /p/r/s' ]
