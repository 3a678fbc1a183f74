use iban::valid;

#[test]
fn good() {
    assert!(valid("DE89370400440532013000"));
    assert!(valid("GB29NWBK60161331926819"));
}

#[test]
fn form() {
    assert!(!valid("DE89"));
    assert!(!valid("de89370400440532013000"));
}

#[test]
fn digits_exchanged() {
    assert!(!valid("DE98370400440532013000"));
    assert!(!valid("GB29NWBK60161331926891"));
}
