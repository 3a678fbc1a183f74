use ring::Ring;

#[test]
fn overwrites() {
    let mut ring = Ring::new(3);
    for i in 1..=5 {
        ring.push(i);
    }
    assert_eq!(ring.items(), [3, 4, 5]);
}
