mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/pager"
)

func main() {
	defer func() { _ = recover() }()
	a, _ := pager.Pages(1, 10)
	b, _ := pager.Pages(20, 10)
	_, err := pager.Pages(5, -1)
	fmt.Print(a, b, err != nil)
}
E
test "$(go run ./zz)" = "1 2 true"
