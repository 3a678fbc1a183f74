use polynomial::Polynomial;

#[test]
fn derives() {
    assert_eq!(Polynomial(vec![5, 3, 2]).derive(), Polynomial(vec![3, 4]));
    assert_eq!(Polynomial(vec![5]).derive(), Polynomial(vec![]));
}

#[test]
fn evaluates() {
    assert_eq!(Polynomial(vec![1, 2, 3]).eval(2), 17);
}
