use super::encode;

#[test]
fn runs() {
    assert_eq!(encode("aabccc"), "2a1b3c");
}

#[test]
fn long_runs() {
    assert_eq!(encode("zzzzzzzzzzzz"), "9z3z");
    assert_eq!(encode(""), "");
}
