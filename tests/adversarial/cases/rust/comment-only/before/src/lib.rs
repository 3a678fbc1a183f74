/// Decodes a part of a query.
pub fn decode(text: &str) -> Option<String> {
    Some(text.replace('+', " "))
}
