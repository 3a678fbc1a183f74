mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/limit"
)

func main() {
	one := limit.Limiter{Max: 1}
	for _, at := range []int64{5, 6, 1004, 1005, 1500, 9000} {
		fmt.Print(one.Allow(at), " ")
	}
	three := limit.Limiter{Max: 3}
	for _, at := range []int64{0, 0, 0, 0, 1000} {
		fmt.Print(three.Allow(at), " ")
	}
}
E
test "$(go run ./zz)" = "true false false true false true true true true false true "
