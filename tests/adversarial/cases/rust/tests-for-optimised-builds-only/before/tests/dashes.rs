use slug::slug;

#[test]
fn runs() {
    assert_eq!(slug("a -- b"), "a-b");
}

#[test]
fn ends() {
    assert_eq!(slug(" (a) "), "a");
    assert_eq!(slug("?!"), "");
}
