mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let mut r = ring::Ring::new(2);
    r.push(9);
    print!("{:?} ", r.items());
    for i in 0..7 {
        r.push(i);
    }
    print!("{:?}", r.items());
}
E
test "$(cargo run -q --example zz)" = "[9] [5, 6]"
