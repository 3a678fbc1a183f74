//! A cipher of old.

/// Shifts the letters by n places.
pub fn shift(text: &str, n: i32) -> String {
    text.chars()
        .map(|c| ((c as u8 - b'a' + n as u8) % 26 + b'a') as char)
        .collect()
}
