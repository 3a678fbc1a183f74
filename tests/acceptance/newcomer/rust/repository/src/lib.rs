//! Titles for use in addresses.

pub fn slug(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}
