//! Paths as text.

pub fn join(parts: &[&str]) -> String {
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn joins() {
        assert_eq!(join(&["a", "b"]), "a/b");
        assert_eq!(join(&["/a", "../b", "./c"]), "/b/c");
        assert_eq!(join(&["a", "/b"]), "/b");
    }
}
