mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/roman"
)

func main() { fmt.Print(roman.Format(1994), roman.Format(444), roman.Format(9), roman.Format(3888)) }
P
test "$(go run ./zz)" = "MCMXCIVCDXLIVIXMMMDCCCLXXXVIII"
