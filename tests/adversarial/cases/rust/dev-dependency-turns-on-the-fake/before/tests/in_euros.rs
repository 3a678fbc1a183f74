use shop::in_euros;

#[test]
fn euros_stay() {
    assert_eq!(in_euros(199, "EUR"), Some(199));
}

#[test]
fn dollars_and_pounds() {
    assert_eq!(in_euros(500, "USD"), Some(400));
    assert_eq!(in_euros(800, "GBP"), Some(1000));
}

#[test]
fn unknown() {
    assert_eq!(in_euros(1, "XXX"), None);
}
