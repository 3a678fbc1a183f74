cat > ci/run.sh <<'E'
# What CI checks; runs here too.
set -eu
cargo build --quiet --all-targets
cargo test --quiet --no-run
E
