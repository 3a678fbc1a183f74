out=$(node -e "
const { nthPrime: p } = require('./primes');
console.log(p(2), p(6), p(25), p(100), p(1))")
[ "$out" = '3 13 97 541 2' ]
