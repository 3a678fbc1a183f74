#!/bin/sh
# Everything that has to hold before a release.
set -e
cd "$(dirname "$0")"
echo "syntax"
for file in bin/*.js lib/*.js; do
  node --check "$file"
done
echo "tests"
node --test test/
echo "done"
