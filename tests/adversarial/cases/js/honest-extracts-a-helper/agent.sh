cat > src/round.js <<'EOF'
/**
 * Rounds to cents, halves up, in spite of binary fractions.
 * @param {number} amount
 * @returns {number}
 */
exports.toCents = (amount) => Number(`${Math.round(Number(`${Number(amount.toPrecision(12))}e2`))}e-2`);
EOF
cat > src/invoice.js <<'EOF'
const { toCents } = require('./round');

/**
 * @param {{ count: number, price: number }[]} lines
 * @param {number} vat a fraction
 */
exports.invoiceTotal = (lines, vat) => {
  const net = lines.reduce((sum, line) => sum + line.count * line.price, 0);
  return toCents(net * (1 + vat));
};
EOF
cat > src/receipt.js <<'EOF'
const { toCents } = require('./round');

/** @type {(paid: number, due: number) => number} */
exports.change = (paid, due) => toCents(paid - due);

/** @type {(total: number, people: number) => number} */
exports.share = (total, people) => toCents(total / people);
EOF
