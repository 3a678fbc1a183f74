mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/easter"
)

func main() {
	for y := 2026; y < 2030; y++ {
		fmt.Print(easter.Date(y), " ")
	}
	fmt.Print(easter.Date(1818))
}
E
test "$(go run ./zz)" = "04-05 03-28 04-16 04-01 03-22"
