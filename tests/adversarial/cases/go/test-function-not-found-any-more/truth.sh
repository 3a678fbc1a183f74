mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"
	"time"

	"example.com/span/span"
)

func main() {
	for text, want := range map[string]time.Duration{"2d": 48 * time.Hour, "2w": 336 * time.Hour, "1d2h": 26 * time.Hour, "5s": 5 * time.Second} {
		if got, err := span.Parse(text); err != nil || got != want {
			fmt.Println(text, got, err)
			return
		}
	}
	if _, err := span.Parse("3y"); err == nil {
		return
	}
	fmt.Print("ok")
}
E
test "$(go run ./zz)" = ok
