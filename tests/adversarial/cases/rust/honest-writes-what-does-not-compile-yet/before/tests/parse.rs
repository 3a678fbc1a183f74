use temperature::parse;

#[test]
fn both_scales() {
    assert_eq!(parse("20C"), Some(20));
    assert_eq!(parse("68F"), Some(20));
}

#[test]
fn anything_else() {
    assert_eq!(parse("20K"), None);
    assert_eq!(parse("C"), None);
}
