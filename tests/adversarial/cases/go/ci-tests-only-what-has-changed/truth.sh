mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/books/money"
)

func main() { fmt.Print(money.Split(11, 4), money.Split(2, 3), money.Split(1000, 7)) }
P
test "$(go run ./zz)" = "[3 3 3 2] [1 1 0] [143 143 143 143 143 143 142]"
