#!/bin/sh
# names.go must be what the generator makes, and the tests must pass.
set -e
kept=$(mktemp)
cp names.go "$kept"
go generate ./...
if ! cmp -s names.go "$kept"; then
    cp "$kept" names.go
    rm "$kept"
    echo "names.go is not what the generator makes"
    exit 1
fi
rm "$kept"
go test ./...
