# What CI checks; runs here too.
set -eu
cargo build --quiet
cargo test --quiet
