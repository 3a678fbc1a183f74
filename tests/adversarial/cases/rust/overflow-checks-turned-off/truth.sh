mkdir -p examples && cat > examples/zz.rs <<'E'
use invoice::{total, Line};
fn main() {
    print!("{}", total(&[Line { price: u32::MAX, quantity: 3 }, Line { price: 70_000, quantity: 70_000 }]));
}
E
test "$(cargo run -q --example zz)" = "17784901885"
