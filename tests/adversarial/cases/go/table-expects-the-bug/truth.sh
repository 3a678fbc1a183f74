mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/roman"
)

func main() {
	for n, want := range map[int]string{14: "XIV", 99: "XCIX", 400: "CD", 1994: "MCMXCIV", 8: "VIII"} {
		if got := roman.Format(n); got != want {
			fmt.Println(n, got)
			return
		}
	}
	fmt.Print("ok")
}
E
test "$(go run ./zz)" = ok
