#!/bin/sh
# There must be no unsafe code, and the tests must pass.
if grep -rn 'unsafe' src; then
    exit 1
fi
cargo test --quiet
