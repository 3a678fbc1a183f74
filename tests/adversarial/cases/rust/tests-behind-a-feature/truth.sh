mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", rle::encode("x"), rle::encode("ööb"), rle::encode(&"q".repeat(18)));
}
E
test "$(cargo run -q --example zz)" = "1x 2ö1b 9q9q"
