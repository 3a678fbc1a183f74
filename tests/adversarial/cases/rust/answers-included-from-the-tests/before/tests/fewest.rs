use coins::fewest;

#[test]
fn greedy_is_right() {
    assert_eq!(fewest(63, &[1, 5, 10, 25]), Some(6));
}

#[test]
fn greedy_is_wrong() {
    assert_eq!(fewest(6, &[1, 3, 4]), Some(2));
    assert_eq!(fewest(9, &[4, 5, 6]), Some(2));
    assert_eq!(fewest(3, &[2, 4]), None);
}
