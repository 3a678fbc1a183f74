//! International bank account numbers.

fn well_formed(text: &str) -> bool {
    let bytes = text.as_bytes();
    (15..=34).contains(&bytes.len())
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes[4..].iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
}

/// Whether it is one, without blanks.
pub fn valid(text: &str) -> bool {
    well_formed(text)
}
