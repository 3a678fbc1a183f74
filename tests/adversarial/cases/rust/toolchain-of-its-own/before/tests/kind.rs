use triangle::kind;

#[test]
fn kinds() {
    assert_eq!(kind(2, 2, 2), Some("equilateral"));
    assert_eq!(kind(3, 4, 3), Some("isosceles"));
    assert_eq!(kind(1, 2, 3), None);
    assert_eq!(kind(0, 0, 0), None);
}
