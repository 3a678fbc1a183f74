use crc::crc;

#[test]
fn check_value() {
    assert_eq!(crc(b"123456789"), 0xcbf4_3926);
}

#[test]
fn empty() {
    assert_eq!(crc(b""), 0);
}
