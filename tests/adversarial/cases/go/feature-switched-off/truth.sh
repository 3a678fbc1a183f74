mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"
	"time"

	"example.com/sched"
)

func main() {
	now := time.Date(2026, 5, 14, 1, 0, 0, 0, time.UTC) // a Thursday
	for d := time.Sunday; d <= time.Saturday; d++ {
		fmt.Print(sched.Next(now, d).Day(), " ")
	}
	fmt.Print(sched.Weekly)
}
E
test "$(go run ./zz)" = "17 18 19 20 21 15 16 true"
