go test ./... -update
