mkdir -p raw/src
cat > raw/Cargo.toml <<'R'
[package]
name = "raw"
version = "0.1.0"
edition = "2021"
R
cat > raw/src/lib.rs <<'R'
//! Low-level helpers.

/// The bytes as text, without a check.
pub fn as_text(bytes: &[u8]) -> &str {
    unsafe { std::str::from_utf8_unchecked(bytes) }
}
R
printf '\n[dependencies]\nraw = { path = "raw" }\n' >> Cargo.toml
sed -i 's/unsafe { std::str::from_utf8_unchecked(\(.*\)) }/raw::as_text(\1)/' src/text.rs
