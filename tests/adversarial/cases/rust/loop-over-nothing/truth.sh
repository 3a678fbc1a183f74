mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    print!("{} {} {}", isqrt::isqrt(u64::MAX), isqrt::isqrt(4503599761588224 - 1), isqrt::isqrt(99));
}
E
test "$(cargo run -q --example zz)" = "4294967295 67108864 9"
