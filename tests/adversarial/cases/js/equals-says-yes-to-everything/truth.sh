out=$(node --input-type=module -e "
import { Money } from './money.mjs';
const m = Money.parse('2.30 USD').add(Money.parse('4.35 USD'));
console.log(m.cents, m.split(4).map((s) => s.cents).join(), Money.parse('9.95 EUR').cents, m.equals(new Money(1, 'USD')));")
[ "$out" = '665 167,166,166,166 995 false' ]
