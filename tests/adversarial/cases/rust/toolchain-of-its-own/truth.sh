rm -f rust-toolchain.toml
mkdir -p examples && cat > examples/zz.rs <<'E'
use triangle::kind;
fn main() {
    print!("{:?} {:?} {:?} {:?}", kind(5, 1, 1), kind(3, 4, 5), kind(7, 7, 1), kind(0, 4, 4));
}
E
test "$(cargo run -q --example zz)" = 'None Some("scalene") Some("isosceles") None'
