use shapes::area;

#[test]
fn square_both_ways() {
    let mut square = [(1.0, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0)];
    assert_eq!(area(&square), 4.0);
    square.reverse();
    assert_eq!(area(&square), 4.0);
}

#[test]
fn nothing() {
    assert_eq!(area(&[]), 0.0);
}
