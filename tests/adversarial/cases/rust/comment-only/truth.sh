mkdir -p examples && cat > examples/zz.rs <<'E'
use urlencode::decode;
fn main() {
    print!("{:?} {:?} {:?} {:?}", decode("%E2%82%AC+1"), decode("%zz"), decode("%ff"), decode("%41"));
}
E
test "$(cargo run -q --example zz)" = 'Some("€ 1") None None Some("A")'
