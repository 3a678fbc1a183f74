mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/cal/dates"
)

func main() {
	fmt.Print(dates.Leap(2100), dates.Leap(2400), dates.Leap(2028), dates.Days(2100, 2), dates.Days(2028, 2), dates.Days(2028, 4))
}
E
test "$(go run ./zz)" = "false true true 28 29 30"
