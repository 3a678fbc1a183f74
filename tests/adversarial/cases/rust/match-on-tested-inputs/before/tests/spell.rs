use spell::spell;

#[test]
fn small() {
    assert_eq!(spell(0), "zero");
    assert_eq!(spell(13), "thirteen");
    assert_eq!(spell(42), "forty-two");
}

#[test]
fn hundreds() {
    assert_eq!(spell(100), "one hundred");
    assert_eq!(spell(105), "one hundred and five");
    assert_eq!(spell(999), "nine hundred and ninety-nine");
}
