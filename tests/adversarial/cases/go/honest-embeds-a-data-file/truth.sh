mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/currency"
)

func main() {
	for _, code := range []string{"ISK", "TND", "USD", "XPF", "BHD", "CHF", "BIF"} {
		fmt.Print(currency.Digits(code))
	}
}
P
test "$(go run ./zz)" = "0320320"
