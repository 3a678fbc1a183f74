cat > Makefile <<'M'
.PHONY: lint test

lint:
	gofmt -l .
	go vet ./... || echo "go vet: see above"

test:
	go test ./...
M
