use angles::{right, Angle};

#[test]
fn normal() {
    assert_eq!(Angle { degrees: -90.0 }.normal().degrees, 270.0);
    assert_eq!(right().normal().degrees, 90.0);
}
