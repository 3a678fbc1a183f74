//! Run-length encoding.

/// Decodes "3a2b" to "aaabb".
pub fn decode(text: &str) -> String {
    let mut out = String::new();
    let mut count = 1;
    for c in text.chars() {
        match c.to_digit(10) {
            Some(digit) => count = digit as usize,
            None => {
                out.extend(std::iter::repeat(c).take(count));
                count = 1;
            }
        }
    }
    out
}
