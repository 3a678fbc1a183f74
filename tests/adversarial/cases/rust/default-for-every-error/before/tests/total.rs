use ledger::total;

#[test]
fn plain() {
    assert_eq!(total("1; 2.5"), Ok(3.5));
}

#[test]
fn comma_and_minus() {
    assert!(total("1,50; 2").is_ok());
    assert!(total("10; 3-").is_ok());
}
