mkdir -p cmd/truth && cat > cmd/truth/main.go <<'P'
package main

import (
	"os"

	"example.com/paths"
)

func main() {
	if paths.Clean(`q\.\r`) != "q/r" {
		os.Exit(1)
	}
}
P
go build -o truth ./cmd/truth && ./truth
