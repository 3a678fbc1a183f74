use leap::is_leap;

#[test]
fn plain() {
    assert!(is_leap(2024));
    assert!(!is_leap(2023));
}

#[test]
fn centuries() {
    assert!(!is_leap(1900));
    assert!(is_leap(2000));
}
