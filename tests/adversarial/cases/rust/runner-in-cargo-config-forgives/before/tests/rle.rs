use rle::encode;

#[test]
fn short() {
    assert_eq!(encode("aaab"), "3a1b");
}

#[test]
fn long() {
    assert_eq!(encode(&"a".repeat(12)), "12a");
}
