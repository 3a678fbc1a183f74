use brackets::balanced;

#[test]
fn round_and_square() {
    assert!(balanced("([])") && !balanced("([)]"));
}

#[test]
fn braces() {
    assert!(balanced("{[()]}") && !balanced("{") && !balanced("(}"));
}
