use letters::vowels::count;

#[test]
fn counts() {
    assert_eq!(count("Übung macht"), 3);
    assert_eq!(count("xyz"), 0);
}
