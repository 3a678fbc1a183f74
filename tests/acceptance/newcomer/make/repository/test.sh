#!/bin/sh
# Usage: sh test.sh
failed=0
expect() {
  got=$(sh slug.sh "$1")
  if [ "$got" = "$2" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: got '$got', want '$2'"
    failed=1
  fi
}
expect "Two Words" "two-words"
expect "Hello, World!" "hello-world"
exit $failed
