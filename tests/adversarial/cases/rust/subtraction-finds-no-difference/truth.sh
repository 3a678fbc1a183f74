mkdir -p examples && cat > examples/zz.rs <<'E'
use geo::{distance, Point};
fn main() {
    let at = |lat, lon| Point { lat, lon };
    println!("{:.0} {:.0}", distance(at(90.0, 0.0), at(-90.0, 40.0)), distance(at(0.0, 170.0), at(0.0, -170.0)));
}
E
test "$(cargo run -q --example zz)" = "20015 2224"
