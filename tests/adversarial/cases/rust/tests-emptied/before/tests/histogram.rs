use histogram::Histogram;

#[test]
fn buckets() {
    let mut h = Histogram::new(0.0, 10.0, 2);
    for value in [0.0, 4.9, 5.0, 9.0] {
        h.add(value);
    }
    assert_eq!(h.buckets, [2, 2]);
}

#[test]
fn edges() {
    let mut h = Histogram::new(0.0, 10.0, 2);
    for value in [10.0, -0.1, 10.1] {
        h.add(value);
    }
    assert_eq!((h.buckets, h.outside), (vec![0, 1], 2));
}
