cat > src/lib.rs <<'P'
/// The name and the value of a line "name = value".
pub fn parse(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    Some((name.trim(), value.trim()))
}
P
mkdir tests
cat > tests/parse.rs <<'P'
use pairs::parse;

#[test]
fn plain() {
    assert_eq!(parse("a=1"), Some(("a", "1")));
}

#[test]
fn blanks() {
    assert_eq!(parse("a = 1"), Some(("a", "1")));
}

#[test]
fn no_sign() {
    assert_eq!(parse("a"), None);
}

#[test]
fn second_sign_belongs_to_the_value() {
    assert_eq!(parse("a = b = c"), Some(("a", "b = c")));
}
P
