use clock::show;

#[test]
fn carries() {
    assert_eq!(show(8, 5), "08:05");
    assert_eq!(show(23, 61), "00:01");
    assert_eq!(show(1, -160), "22:20");
}
