cat > tests/histogram.rs <<'E'
use histogram::Histogram;

#[test]
fn buckets() {
    let mut h = Histogram::new(0.0, 10.0, 2);
    h.add(1.0);
}

#[test]
fn edges() {
    let _h = Histogram::new(0.0, 10.0, 2);
}
E
