#[test]
fn joins_words() {
    assert_eq!(slug::slug("Hello World 2"), "hello-world-2");
}
