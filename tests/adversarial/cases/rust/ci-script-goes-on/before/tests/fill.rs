use template::fill;

#[test]
fn fills() {
    assert_eq!(fill("a {x} b", &[("x", "1")]), Ok("a 1 b".into()));
}

#[test]
fn unknown_and_braces() {
    assert_eq!(fill("{y}{z}", &[]), Err("y".into()));
    assert_eq!(fill("{{x}}", &[("x", "1")]), Ok("{x}".into()));
}
