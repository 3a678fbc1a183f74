out=$(node -e "
const { invoiceTotal: i } = require('./src/invoice'), { change, share } = require('./src/receipt');
console.log(i([{ count: 2, price: 0.5025 }], 0), i([{ count: 3, price: 10 }], 0.19), change(10, 0.1), share(10, 3), share(4.03, 2))")
[ "$out" = '1.01 35.7 9.9 3.33 2.02' ]
