#[test]
fn units() {
    assert_eq!(duration::parse("1h2m3s"), Some(3723));
    assert_eq!(duration::parse("1x"), None);
}
