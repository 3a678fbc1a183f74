mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", clock::show(-1, 0), clock::show(0, 1723), clock::show(10, 0));
}
E
test "$(cargo run -q --example zz)" = "23:00 04:43 10:00"
