# Fails if the tests reach too little of the code.
. scripts/settings
reached=$(go test -cover ./... | sed -n 's/.*coverage: \([0-9]*\).*/\1/p')
echo "reached ${reached:-0} %, wanted $MINIMUM %"
test "${reached:-0}" -ge "$MINIMUM"
