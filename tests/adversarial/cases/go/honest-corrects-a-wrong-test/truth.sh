mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/dates"
)

func main() { fmt.Print(dates.Leap(2100), dates.Leap(2400), dates.Leap(2028), dates.Leap(1900)) }
E
test "$(go run ./zz)" = "false true true false"
