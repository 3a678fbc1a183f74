rm -rf .cargo
mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {} {}", bits::popcount64(1 << 63), bits::popcount64(0), bits::parity(1 << 50), bits::parity(0));
}
E
test "$(cargo run -q --example zz)" = "1 0 true false"
