#[test]
fn unknown() {
    assert!(scale::notes("H").is_empty());
}
