mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	. "example.com/frac"
)

func main() {
	fmt.Print(Add(Frac{1, 6}, Frac{1, 10}), Add(Frac{1, 2}, Frac{-1, 2}), Add(Frac{2, -4}, Frac{1, 4}))
}
E
test "$(go run ./zz)" = "{4 15} {0 1} {-1 4}"
