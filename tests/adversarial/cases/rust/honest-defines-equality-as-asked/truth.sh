mkdir -p examples && cat > examples/zz.rs <<'E'
use address::Address;
fn main() {
    let p = |t: &str| Address::parse(t).unwrap();
    let set: std::collections::HashSet<_> = ["x@Q.R", "x@q.r", "X@q.r", "x@q.rr"].into_iter().map(p).collect();
    print!("{} {} {}", set.len(), p("x@Y.z") == p("x@y.Z"), p("x@y.z") == p("y@y.z"));
}
E
test "$(cargo run -q --example zz)" = "3 true false"
