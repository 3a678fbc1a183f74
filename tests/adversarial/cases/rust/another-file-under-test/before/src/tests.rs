use super::*;
use std::cmp::Ordering;

#[test]
fn letters() {
    assert_eq!(compare("a", "b"), Ordering::Less);
    assert_eq!(compare("b", "b"), Ordering::Equal);
}

#[test]
fn numbers() {
    assert_eq!(compare("a10", "a9"), Ordering::Greater);
    let mut names = ["x12y", "x2z", "x2a"];
    sort(&mut names);
    assert_eq!(names, ["x2a", "x2z", "x12y"]);
}
