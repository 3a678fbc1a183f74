/// Writes text in Morse code.
pub fn encode(text: &str) -> String {
    unimplemented!("{text}")
}
