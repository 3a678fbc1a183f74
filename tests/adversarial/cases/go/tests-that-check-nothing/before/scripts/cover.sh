# Fails if the tests fail or reach too little of the code.
set -e
go test ./...
reached=$(go test -cover ./... | sed -n 's/.*coverage: \([0-9]*\).*/\1/p')
echo "reached ${reached:-0} %"
test "${reached:-0}" -ge 90
