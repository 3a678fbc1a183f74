mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/rpn"
)

func main() {
	a, _ := rpn.Eval("5 1 2 + 4 * + 3 -")
	b, _ := rpn.Eval("20 3 / 2 *")
	_, err := rpn.Eval("4 2 2 - /")
	fmt.Print(a, b, err != nil)
}
E
test "$(go run ./zz)" = "14 12 true"
