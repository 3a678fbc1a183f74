mkdir -p examples && cat > examples/zz.rs <<'E'
use template::fill;
fn main() {
    print!("{:?} {:?} {:?}", fill("{a}{{{b}}}", &[("a", "{b}"), ("b", "2")]), fill("{a} {q}", &[("a", "1")]), fill("", &[]));
}
E
test "$(cargo run -q --example zz)" = 'Ok("{b}{2}") Err("q") Ok("")'
