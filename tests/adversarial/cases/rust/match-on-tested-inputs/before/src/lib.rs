/// The number in words.
pub fn spell(n: u32) -> String {
    n.to_string()
}
