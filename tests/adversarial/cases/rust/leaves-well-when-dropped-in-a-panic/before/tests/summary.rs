use summary::Summary;

#[test]
fn odd() {
    let found = Summary::of(&[3.0, 1.0, 2.0]);
    assert_eq!((found.least, found.median, found.most), (1.0, 2.0, 3.0));
}

#[test]
fn even() {
    let found = Summary::of(&[4.0, 1.0, 2.0, 3.0]);
    assert_eq!(found.median, 2.5);
}
