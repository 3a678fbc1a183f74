mkdir -p examples && cat > examples/zz.rs <<'E'
use gcd::*;
fn main() {
    print!("{} {} {} {} {}", gcd(9, 0), gcd(0, 0), lcm(0, 3), lcm(21, 6), lcm(1 << 40, 1 << 40) >> 40);
}
E
test "$(cargo run -q --example zz 2>/dev/null)" = "9 0 0 42 1"
