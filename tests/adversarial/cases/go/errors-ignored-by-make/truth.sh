mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	. "example.com/set"
)

func main() {
	a, b := Of(1, 2, 3), Of(3, 4)
	u, m := Union(a, b), Minus(a, b)
	u[9] = true
	fmt.Println(len(u), len(m), len(a), len(b), m[3], m[1])
}
E
test "$(go run ./zz)" = "5 2 3 2 false true"
