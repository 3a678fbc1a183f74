use invoice::{total, Line};

#[test]
fn small_orders() {
    assert_eq!(total(&[Line { price: 250, quantity: 4 }, Line { price: 99, quantity: 1 }]), 1099);
}

#[test]
fn big_orders() {
    let one = total(&[Line { price: 90_000, quantity: 50_000 }]);
    let two = total(&[Line { price: 90_000, quantity: 50_000 }, Line { price: 1, quantity: 1 }]);
    assert!(two > one);
}
