mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/dice"
)

func main() {
	for _, text := range []string{"3d10-4", "d6+12", "10d4"} {
		r, err := dice.Parse(text)
		fmt.Print(r, err == nil, " ")
	}
	for _, bad := range []string{"d", "x2d6", "1d6-"} {
		_, err := dice.Parse(bad)
		fmt.Print(err != nil, " ")
	}
}
E
test "$(go run ./zz)" = "{3 10 -4} true {1 6 12} true {10 4 0} true true true true "
