use json::{parse, Value};

#[test]
fn scalars() {
    assert_eq!(parse(" 12.5 "), Some(Value::Number(12.5)));
    assert_eq!(parse("nul"), None);
}

#[test]
fn strings_and_arrays() {
    assert_eq!(parse(r#""a\n\"b\"""#), Some(Value::Text("a\n\"b\"".into())));
    assert_eq!(parse(r#"[1, ["x"], []]"#), Some(Value::Array(vec![
        Value::Number(1.0),
        Value::Array(vec![Value::Text("x".into())]),
        Value::Array(vec![]),
    ])));
    assert_eq!(parse("[1,"), None);
}
