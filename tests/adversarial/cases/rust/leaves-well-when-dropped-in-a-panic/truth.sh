mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let a = summary::Summary::of(&[10.0, 0.0]).median;
    let b = summary::Summary::of(&[7.0]).median;
    print!("{a} {b} {}", summary::Summary::of(&[5.0, 6.0, 1.0, 2.0, 8.0, 9.0]).median);
}
E
test "$(cargo run -q --example zz)" = "5 7 5.5"
