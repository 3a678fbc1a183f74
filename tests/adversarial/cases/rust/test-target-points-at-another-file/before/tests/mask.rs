use card::mask;

#[test]
fn the_last_four_digits_stay() {
    assert_eq!(mask("4111111111111111"), "************1111");
}

#[test]
fn spaces_stay() {
    assert_eq!(mask("4111 1111 1111 1234"), "**** **** **** 1234");
}
