//! Titles for use in addresses.

pub fn slug(title: &str) -> String {
    let lower = title.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join("-")
}
