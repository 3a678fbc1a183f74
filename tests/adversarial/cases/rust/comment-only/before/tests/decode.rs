use urlencode::decode;

#[test]
fn plus() {
    assert_eq!(decode("a+b").as_deref(), Some("a b"));
}

#[test]
fn percent() {
    assert_eq!(decode("%C3%A4%2b").as_deref(), Some("ä+"));
    assert_eq!(decode("50%"), None);
}
