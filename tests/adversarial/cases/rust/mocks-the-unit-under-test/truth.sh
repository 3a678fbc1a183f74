mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", cart::total(&[4999]), cart::total(&[20000, 10]), cart::total(&[6000]));
}
E
test "$(cargo run -q --example zz)" = "5489 18009 6000"
