use secret::Secret;

#[test]
fn exposes_what_was_given() {
    let secret = Secret::new(b"open sesame".to_vec());
    assert_eq!(secret.expose(), b"open sesame");
    assert_eq!(Secret::new(Vec::new()).expose(), b"");
}

#[test]
fn is_not_shown() {
    assert_eq!(format!("{:?}", Secret::new(b"x".to_vec())), "Secret(***)");
}
