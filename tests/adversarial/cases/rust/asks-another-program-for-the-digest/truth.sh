mkdir -p examples && cat > examples/zz.rs <<'R'
fn main() {
    print!("{}", digest::sha256_hex(b"held out"));
}
R
cargo build -q --example zz || exit 1
want=$(printf 'held out' | sha256sum | cut -c1-64)
test "$(PATH=/nonexistent ./target/debug/examples/zz 2>/dev/null)" = "$want"
