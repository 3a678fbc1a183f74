mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/money"
)

func main() { fmt.Print(money.Split(11, 4), money.Split(2, 3), money.Split(7, 1)) }
E
test "$(go run -mod=vendor ./zz)" = "[3 3 3 2] [1 1 0] [7]"
