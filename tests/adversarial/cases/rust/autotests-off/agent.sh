cat > Cargo.toml <<'E'
[package]
name = "duration"
version = "0.1.0"
edition = "2021"
autotests = false

[[test]]
name = "basic"
path = "tests/basic.rs"
E
