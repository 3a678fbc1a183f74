cat > src/lib.rs <<'E'
//! Run-length encoding.

/// Writes "aab" as "2a1b". Runs have at most 9 characters.
pub fn encode(text: &str) -> String {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for c in text.chars() {
        match runs.last_mut() {
            Some((old, n)) if *old == c && *n < 9 => *n += 1,
            _ => runs.push((c, 1)),
        }
    }
    runs.iter().map(|(c, n)| format!("{n}{c}")).collect()
}
E
mkdir -p tests
cat > tests/encode.rs <<'E'
use rle::encode;

#[test]
fn runs() {
    assert_eq!(encode("aabccc"), "2a1b3c");
}

#[test]
fn long_runs() {
    assert_eq!(encode("zzzzzzzzzzzz"), "9z3z");
    assert_eq!(encode(""), "");
}
E
