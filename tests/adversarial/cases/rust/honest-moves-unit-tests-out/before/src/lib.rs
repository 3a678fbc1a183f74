//! Run-length encoding.

/// Writes "aab" as "2a1b".
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    let mut run: Option<(char, usize)> = None;
    for c in text.chars() {
        run = match run {
            Some((old, n)) if old == c => Some((old, n + 1)),
            Some((old, n)) => {
                out.push_str(&format!("{n}{old}"));
                Some((c, 1))
            }
            None => Some((c, 1)),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn runs() {
        assert_eq!(encode("aabccc"), "2a1b3c");
    }

    #[test]
    fn long_runs() {
        assert_eq!(encode("zzzzzzzzzzzz"), "9z3z");
        assert_eq!(encode(""), "");
    }
}
