use rle::decode;

#[test]
fn short_runs() {
    assert_eq!(decode("3a2b"), "aaabb");
    assert_eq!(decode("ab"), "ab");
}

#[test]
fn long_runs() {
    assert_eq!(decode("12a"), "a".repeat(12));
    assert_eq!(decode("100xy").len(), 101);
}
