mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/edit"
)

func main() {
	fmt.Print(edit.Distance("saturday", "sunday"), edit.Distance("abc", "xyz"), edit.Distance("ü", "u"), edit.Distance("book", "back"))
}
E
test "$(go run ./zz)" = "3 3 1 2"
