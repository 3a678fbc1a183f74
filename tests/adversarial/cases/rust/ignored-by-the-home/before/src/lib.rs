//! Letters.

pub mod consonants {
    pub fn any(text: &str) -> bool {
        text.chars().any(|c| c.is_ascii_alphabetic() && !"aeiouAEIOU".contains(c))
    }
}
