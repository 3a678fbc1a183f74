#[test]
fn zeros() {
    assert_eq!(gcd::gcd(7, 0), 7);
    assert_eq!(gcd::lcm(5, 0), 0);
}
