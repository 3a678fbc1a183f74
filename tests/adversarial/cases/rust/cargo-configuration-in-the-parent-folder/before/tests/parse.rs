use clock::parse;

#[test]
fn good() {
    assert_eq!(parse("9:05"), Some(545));
    assert_eq!(parse("23:59"), Some(1439));
}

#[test]
fn bad() {
    assert_eq!(parse("24:00"), None);
    assert_eq!(parse("9:5"), None);
    assert_eq!(parse("9"), None);
}
