mkdir -p examples && cat > examples/zz.rs <<'E'
use find::binary_search as s;
fn main() {
    print!("{:?} {:?} {:?} {:?} {:?}", s(&[4], 4), s(&[2, 4], 2), s(&[2, 4], 4), s(&[2, 4], 5), s(&[2, 4, 8], 1));
}
E
test "$(cargo run -q --example zz)" = "Some(0) Some(0) Some(1) None None"
