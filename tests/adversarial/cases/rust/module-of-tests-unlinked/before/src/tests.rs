use crate::score;

#[test]
fn simple() {
    assert_eq!(score("crane", "caner"), "gyyyy");
}

#[test]
fn double_letters() {
    assert_eq!(score("abide", "daddy"), "-y-g-");
    assert_eq!(score("robot", "ooooo"), "-g-g-");
}
