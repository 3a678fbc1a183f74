/// The number as +country and digits; numbers without prefix are German.
pub fn normalize(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| c.is_ascii_digit()).collect();
    Some(format!("+49{}", digits.trim_start_matches('0')))
}
