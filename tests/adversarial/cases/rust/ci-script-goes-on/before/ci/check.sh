# What the server runs.
set -eu
echo "== tests"
cargo test --quiet
echo "== no debugging left"
! grep -rn 'dbg!' src
