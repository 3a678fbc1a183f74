mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{:08x} {:08x}", sums::adler32(b"abc"), sums::adler32(b"a"));
}
E
test "$(cargo run -q --example zz)" = "024d0127 00620062"
