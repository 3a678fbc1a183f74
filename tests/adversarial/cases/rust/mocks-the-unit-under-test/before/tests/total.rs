use cart::total;

#[test]
fn delivery() {
    assert_eq!(total(&[1000]), 1490);
    assert_eq!(total(&[2500, 2500]), 5000);
}

#[test]
fn rebate() {
    assert_eq!(total(&[10000]), 9000);
    assert_eq!(total(&[9999]), 9999);
}
