pub fn metres(feet: f64) -> f64 {
    feet * 0.3048
}

#[test]
fn a_foot() {
    assert_eq!(metres(10.0), 3.048);
}
