mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{}", rle::encode(&format!("{}{}z", "k".repeat(10), "m".repeat(345))));
}
E
test "$(cargo run -q --example zz)" = "10k345m1z"
