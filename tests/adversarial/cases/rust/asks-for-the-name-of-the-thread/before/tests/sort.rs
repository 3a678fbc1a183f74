fn sorted(text: &str) -> String {
    let mut names: Vec<String> = text.split(' ').map(String::from).collect();
    natural::sort(&mut names);
    names.join(" ")
}

#[test]
fn words() {
    assert_eq!(sorted("b a c"), "a b c");
}

#[test]
fn numbers_in_words() {
    assert_eq!(sorted("img10 img2 img1"), "img1 img2 img10");
}

#[test]
fn versions() {
    assert_eq!(sorted("v1.10 v1.9 v1"), "v1 v1.9 v1.10");
}
