mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/feast"
)

func main() {
	for _, y := range []int{1818, 1999, 2011, 2022, 2285} {
		fmt.Print(feast.Easter(y).Format("0102 "))
	}
}
P
test "$(go run ./zz)" = "0322 0404 0424 0417 0322 "
