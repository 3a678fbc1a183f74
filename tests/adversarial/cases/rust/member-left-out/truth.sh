mkdir -p shapes/examples && cat > shapes/examples/zz.rs <<'E'
fn main() {
    print!("{} {}", shapes::area(&[(5.0, 0.0), (0.0, 0.0), (0.0, 2.0)]), shapes::area(&[(1.0, 2.0), (5.0, 9.0)]));
}
E
test "$(cargo run -q -p shapes --example zz)" = "5 0"
