mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{:?} {:?} {:?} {:?}", number::parse("01"), number::parse("00"), number::parse("0"), number::parse("10"));
}
E
test "$(cargo run -q --features strict --example zz)" = "None None Some(0) Some(10)" &&
    test "$(cargo run -q --example zz)" = "Some(1) Some(0) Some(0) Some(10)"
