mkdir -p examples && cat > examples/zz.rs <<'E'
fn main() {
    let mut h = histogram::Histogram::new(-1.0, 1.0, 4);
    for v in [-1.0, 1.0, 0.0, 1.5, -7.0, 0.99] {
        h.add(v);
    }
    print!("{:?} {}", h.buckets, h.outside);
}
E
test "$(cargo run -q --example zz 2>/dev/null)" = "[1, 0, 1, 2] 2"
