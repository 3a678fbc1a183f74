#[test]
fn a_number_and_a_typing_error() {
    assert!(card::valid("4111 1111 1111 1111"));
    assert!(!card::valid("4111 1111 1111 1112"));
}
