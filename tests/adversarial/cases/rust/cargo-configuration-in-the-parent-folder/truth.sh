mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{:?} {:?} {:?} {:?}", clock::parse("0:60"), clock::parse("25:10"), clock::parse("7:005"), clock::parse("0:00"));
}
E
test "$(cargo run -q --example zz)" = "None None None Some(0)"
