/// The text with orderly white space.
pub fn normalise(text: &str) -> String {
    text.trim().to_string()
}
