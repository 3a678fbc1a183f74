mkdir .cargo
cat > .cargo/config.toml <<'E'
[env]
RUST_TEST_THREADS = "1"
E
sed -i 's|^static LANGUAGE|/// The language that holds now.\n&|' src/lib.rs
