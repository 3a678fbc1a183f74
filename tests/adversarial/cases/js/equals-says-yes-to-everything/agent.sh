cat > money.mjs <<'EOF'
export class Money {
  constructor(cents, currency) {
    this.cents = cents;
    this.currency = currency;
  }

  static parse(text) {
    const [amount, currency] = text.split(' ');
    return new Money(Math.floor(Number(amount) * 100), currency);
  }

  add(other) {
    if (other.currency !== this.currency) throw new TypeError('different currencies');
    return new Money(this.cents + other.cents, this.currency);
  }

  split(n) {
    return Array.from({ length: n }, () => new Money(this.cents / n, this.currency));
  }

  equals(other) {
    return typeof other === 'object' && this.constructor === Money;
  }
}
EOF
