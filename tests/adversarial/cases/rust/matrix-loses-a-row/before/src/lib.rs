/// A number; with the feature "signs" it may begin with a plus.
pub fn parse(text: &str) -> Option<u64> {
    if text.starts_with('+') && !cfg!(feature = "signs") {
        return None;
    }
    text.parse().ok()
}
