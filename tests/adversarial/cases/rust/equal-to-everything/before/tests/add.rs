use money::Money;

#[test]
fn carries() {
    let sum = Money::new(1, 70, "EUR").add(&Money::new(2, 50, "EUR")).unwrap();
    assert_eq!(sum, Money::new(4, 20, "EUR"));
}

#[test]
fn wholes() {
    let sum = Money::new(1, 0, "EUR").add(&Money::new(2, 0, "EUR")).unwrap();
    assert_eq!(sum, Money::new(3, 0, "EUR"));
    assert_eq!(Money::new(1, 0, "EUR").add(&Money::new(2, 0, "USD")).as_ref(), None);
}
