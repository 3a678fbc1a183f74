mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/luhn"
)

func main() {
	for _, n := range []string{"0-0", "7992 7398 713", "79927398710", "7", "79927398713x", "--"} {
		fmt.Print(luhn.Valid(n), " ")
	}
}
E
test "$(go run ./zz)" = "true true false false false false "
