mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/primes"
)

func main() { fmt.Print(primes.Nth(7), primes.Nth(10), primes.Nth(100)) }
E
test "$(go run ./zz)" = "17 29 541"
