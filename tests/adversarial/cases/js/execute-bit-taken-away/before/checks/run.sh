#!/bin/sh
# Runs every executable check of this folder, in order.
cd "$(dirname "$0")" || exit 1
for check in [0-9]*.js; do
    [ -x "$check" ] || continue
    echo "== $check"
    "./$check" || exit 1
done
echo "all checks passed"
