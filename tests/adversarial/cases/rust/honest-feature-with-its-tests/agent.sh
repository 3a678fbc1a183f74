cat > Cargo.toml <<'E'
[package]
name = "caesar"
version = "0.2.0"
edition = "2021"

[features]
rot13 = []
E
sed -i 's/^version = "0.1.0"/version = "0.2.0"/' Cargo.lock
cat > src/lib.rs <<'E'
//! A cipher of old.

/// Shifts the letters by n places.
pub fn shift(text: &str, n: i32) -> String {
    let n = n.rem_euclid(26) as u8;
    let turn = |c: char, a: u8| ((c as u8 - a + n) % 26 + a) as char;
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            _ => c,
        })
        .collect()
}

/// Shifts by half the alphabet.
#[cfg(feature = "rot13")]
pub fn rot13(text: &str) -> String {
    shift(text, 13)
}
E
cat > tests/rot13.rs <<'E'
#![cfg(feature = "rot13")]

#[test]
fn twice_is_the_same() {
    assert_eq!(caesar::rot13(&caesar::rot13("Abc")), "Abc");
}
E
