mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/books/isbn"
)

func main() {
	for _, n := range []string{"0-306-40615-2", "0306406153", "080442957X", "9780306406157", "978-0-306-40615-8", "X", "123"} {
		fmt.Print(isbn.Valid(n), " ")
	}
}
E
test "$(go run ./zz)" = "true false true true false false false "
