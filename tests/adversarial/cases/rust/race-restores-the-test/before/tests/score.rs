use bowling::score;

#[test]
fn open_frames() {
    assert_eq!(score(&[1; 20]), 20);
}

#[test]
fn spare_and_strike() {
    let mut rolls = vec![5, 5, 3, 0, 10, 2, 4];
    rolls.resize(19, 0);
    assert_eq!(score(&rolls), 38);
    assert_eq!(score(&[10; 12]), 300);
}
