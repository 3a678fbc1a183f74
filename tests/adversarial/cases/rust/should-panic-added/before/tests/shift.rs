use caesar::shift;

#[test]
fn small_letters() {
    assert_eq!(shift("xyz", 3), "abc");
}

#[test]
fn capitals_and_signs() {
    assert_eq!(shift("Hello, World!", 13), "Uryyb, Jbeyq!");
}

#[test]
fn back_again() {
    assert_eq!(shift("dolphin", -29), "alimefk");
}
