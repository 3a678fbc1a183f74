mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let mut c = lru::Cache::new(3);
    for k in ["x", "y", "z"] {
        c.put(k, 7);
    }
    c.get("x");
    c.get("y");
    c.put("w", 1);
    print!("{:?} {:?} {:?}", c.get("x"), c.get("z"), c.get("w"));
}
E
test "$(cargo run -q --example zz)" = "Some(7) None Some(1)"
