/// The name and the value of a line "name = value".
pub fn parse(line: &str) -> Option<(&str, &str)> {
    let mut parts = line.split('=');
    Some((parts.next()?, parts.next().unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn plain() {
        assert_eq!(parse("a=1"), Some(("a", "1")));
    }

    #[test]
    fn blanks() {
        assert_eq!(parse("a = 1"), Some(("a", "1")));
    }

    #[test]
    fn no_sign() {
        assert_eq!(parse("a"), None);
    }
}
