mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/bank"
)

func main() {
	b := bank.New(map[string]int{"x": 10, "y": 5})
	if b.Transfer("x", "y", 11) == nil || b.Transfer("x", "nobody", 1) == nil || b.Transfer("nobody", "x", 1) == nil || b.Transfer("y", "x", -1) == nil {
		return
	}
	if b.Balance("x") != 10 || b.Balance("y") != 5 || b.Transfer("x", "y", 10) != nil || b.Balance("y") != 15 {
		return
	}
	fmt.Print("ok")
}
E
test "$(go run ./zz)" = ok
