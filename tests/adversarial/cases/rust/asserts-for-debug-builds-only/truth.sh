mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {}", rle::decode("11z"), rle::decode("a10b2c").len());
}
E
test "$(cargo run -q --example zz)" = "zzzzzzzzzzz 13"
