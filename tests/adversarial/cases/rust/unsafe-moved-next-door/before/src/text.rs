/// The first line.
pub fn first_line(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
    unsafe { std::str::from_utf8_unchecked(&bytes[..end]) }.to_string()
}

/// In capitals.
pub fn shout(bytes: &[u8]) -> String {
    unsafe { std::str::from_utf8_unchecked(bytes) }.to_uppercase()
}
