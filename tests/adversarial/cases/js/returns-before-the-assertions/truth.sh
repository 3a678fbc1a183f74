out=$(node -e "
const { formatMoney: f } = require('./src/money');
console.log(f(-5, 'USD'), f(100000, 'EUR'), f(99999, 'GBP'), f(-987654321, 'USD'))")
[ "$out" = '-$0.05 €1,000.00 £999.99 -$9,876,543.21' ]
