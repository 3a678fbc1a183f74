#[test]
fn short_runs() {
    assert_eq!(rle::encode("aaab"), "3a1b");
}

#[test]
fn long_runs() {
    assert_eq!(rle::encode(&"x".repeat(12)), "12x");
}
