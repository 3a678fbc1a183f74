mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/postage"
)

func main() {
	for _, g := range []int{1, 50, 51, 1000} {
		in, _ := postage.Cents(g, false)
		out, _ := postage.Cents(g, true)
		fmt.Print(in, " ", out, " ")
	}
	_, err := postage.Cents(0, false)
	fmt.Print(err != nil)
}
E
test "$(go run ./zz)" = "95 125 110 180 180 390 290 650 true"
