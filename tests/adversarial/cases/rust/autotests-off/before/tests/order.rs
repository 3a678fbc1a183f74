#[test]
fn order() {
    assert_eq!(duration::parse("1h3s"), Some(3603));
    for bad in ["3s1h", "1m1m", "", "12"] {
        assert_eq!(duration::parse(bad), None, "{bad}");
    }
}
