mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/rate"
)

func main() { fmt.Println(rate.Convert(5, 0.5), rate.Convert(7, 0.75), rate.Convert(4, 0.25)) }
E
test "$(go run ./zz)" = "3 5 1"
