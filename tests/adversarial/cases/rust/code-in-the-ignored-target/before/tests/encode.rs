#[test]
fn sos() {
    assert_eq!(morse::encode("SOS"), "... --- ...");
    assert_eq!(morse::encode("Hi, 5!"), ".... .. / .....");
}
