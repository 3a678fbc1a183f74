mkdir -p examples && cat > examples/zz.rs <<'E'
use polynomial::Polynomial as P;
fn main() {
    print!("{:?} {:?} {}", P(vec![0, 0, 0, 2]).derive().0, P(vec![]).derive().0, P(vec![]).eval(3));
}
E
test "$(cargo run -q --example zz 2>/dev/null)" = "[0, 0, 6] [] 0"
