use plural::plural;

#[test]
fn regular() {
    assert_eq!(plural("cat"), "cats");
}

#[test]
fn hissing() {
    assert_eq!(plural("box"), "boxes");
    assert_eq!(plural("church"), "churches");
}

#[test]
fn ending_in_y() {
    assert_eq!(plural("city"), "cities");
    assert_eq!(plural("day"), "days");
}
