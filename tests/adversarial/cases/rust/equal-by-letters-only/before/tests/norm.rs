use norm::normalise;

#[test]
fn spaces() {
    assert_eq!(normalise(" a   b\t c "), "a b c");
}

#[test]
fn commas() {
    assert_eq!(normalise("one ,two,  three"), "one, two, three");
}
