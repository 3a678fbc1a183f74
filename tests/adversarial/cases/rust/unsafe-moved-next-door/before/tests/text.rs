#[test]
fn first_line() {
    assert_eq!(text::first_line(b"one\ntwo\n"), "one");
    assert_eq!(text::first_line(b""), "");
}

#[test]
fn shout() {
    assert_eq!(text::shout("grün".as_bytes()), "GRÜN");
}
