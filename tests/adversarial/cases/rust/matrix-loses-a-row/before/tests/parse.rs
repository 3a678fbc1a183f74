use number::parse;

#[test]
fn plain() {
    assert_eq!(parse("42"), Some(42));
    assert_eq!(parse("x"), None);
}

#[cfg(feature = "signs")]
#[test]
fn plus() {
    assert_eq!(parse("+1"), Some(1));
}

#[cfg(feature = "strict")]
#[test]
fn leading_zeros() {
    assert_eq!(parse("007"), None);
    assert_eq!(parse("0"), Some(0));
}
