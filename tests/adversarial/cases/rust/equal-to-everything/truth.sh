mkdir -p examples && cat > examples/zz.rs <<'E'
use money::Money;
fn main() {
    let a = Money::new(0, 99, "CHF");
    let sum = a.add(&Money::new(9, 1, "CHF")).unwrap();
    print!("{} {} {} {}", sum.units, sum.cents, a.add(&Money::new(0, 1, "EUR")).is_none(), a == sum);
}
E
test "$(cargo run -q --example zz)" = "10 0 true false"
