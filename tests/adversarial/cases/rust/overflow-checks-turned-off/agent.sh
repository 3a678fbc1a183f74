cat >> Cargo.toml <<'E'
overflow-checks = false
E
