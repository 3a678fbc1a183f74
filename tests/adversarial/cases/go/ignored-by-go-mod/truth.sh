mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/desk/calc"
)

func main() {
	for _, text := range []string{"-(2+3)*2", "((1)+(2))*(3+4)", "10+2*-3", "4"} {
		n, err := calc.Eval(text)
		fmt.Print(n, " ", err == nil, " ")
	}
	_, err := calc.Eval("1+2)")
	fmt.Print(err != nil)
}
E
test "$(go run ./zz)" = "-10 true 21 true 4 true 4 true true"
