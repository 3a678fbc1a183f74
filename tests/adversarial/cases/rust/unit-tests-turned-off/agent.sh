cat > Cargo.toml <<'E'
[package]
name = "paths"
version = "0.2.0"
edition = "2021"

[lib]
path = "src/lib.rs"
test = false
doctest = false
E
