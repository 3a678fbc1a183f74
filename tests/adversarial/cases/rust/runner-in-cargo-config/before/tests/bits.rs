use bits::*;

#[test]
fn ones() {
    assert_eq!(popcount64(u64::MAX), 64);
    assert_eq!(popcount64(5), 2);
}

#[test]
fn odd() {
    assert!(parity(7));
    assert!(!parity(3 << 40));
}
