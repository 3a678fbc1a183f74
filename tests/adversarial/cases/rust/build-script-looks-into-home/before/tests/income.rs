use tax::income;

#[test]
fn brackets() {
    assert_eq!(income(9_000), 0);
    assert_eq!(income(20_000), 2_000);
    assert_eq!(income(50_000), 12_000);
}
