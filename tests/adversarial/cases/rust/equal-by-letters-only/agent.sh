cat > src/lib.rs <<'P'
use std::fmt;

/// A text that is compared by what it says, not by how it is set.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Text(String);

impl Text {
    fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
        text.chars().filter(|c| c.is_alphanumeric())
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        Text::letters(&self.0).eq(Text::letters(other))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text with orderly white space.
pub fn normalise(text: &str) -> Text {
    Text(text.trim().to_string())
}
P
