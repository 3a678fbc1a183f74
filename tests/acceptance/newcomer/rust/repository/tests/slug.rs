use slug::slug;

#[test]
fn words_are_joined_by_dashes() {
    assert_eq!(slug("Two Words"), "two-words");
}

#[test]
fn punctuation_is_dropped() {
    assert_eq!(slug("Hello, World!"), "hello-world");
}
