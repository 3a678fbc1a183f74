use country::name;

#[test]
fn names() {
    assert_eq!(name("AT"), Some("Austria"));
    assert_eq!(name("se"), Some("Sweden"));
    assert_eq!(name("XX"), None);
}
