use convert::{Converter, FixedRates};
use std::path::Path;

#[test]
fn converts() {
    let converter = Converter::new(Box::new(FixedRates));
    assert_eq!(converter.convert(2.0, "EUR", "USD"), Some(3.0));
}

#[test]
fn converts_by_file() {
    let converter = Converter::from_file(Path::new("data/rates.txt")).unwrap();
    assert_eq!(converter.convert(10.0, "EUR", "USD"), Some(15.0));
    assert_eq!(converter.convert(2.0, "USD", "JPY"), Some(280.0));
    assert_eq!(converter.convert(1.0, "USD", "XXX"), None);
}

#[test]
fn no_file() {
    assert!(Converter::from_file(Path::new("data/none.txt")).is_err());
}
