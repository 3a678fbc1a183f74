use std::cmp::Ordering;

/// Which of two names comes first.
pub fn compare(a: &str, b: &str) -> Ordering {
    a.cmp(b)
}
