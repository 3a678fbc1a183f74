mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/query"
)

func main() { fmt.Print(query.Query(map[string]string{"k=": "1/2", "a": "50%"})) }
P
test "$(go run ./zz)" = "a=50%25&k%3D=1%2F2"
