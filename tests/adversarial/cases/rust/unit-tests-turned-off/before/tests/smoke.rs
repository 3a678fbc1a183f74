#[test]
fn one_part() {
    assert_eq!(paths::join(&["a"]), "a");
}
