mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{:?} ", json::parse(r#"["a\\", null, [true]]"#));
    print!("{:?} {:?}", json::parse("\"x"), json::parse("[1 2]"));
}
E
test "$(cargo run -q --example zz)" = 'Some(Array([Text("a\\"), Null, Array([Bool(true)])])) None None'
