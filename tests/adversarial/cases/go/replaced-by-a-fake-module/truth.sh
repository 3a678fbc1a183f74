mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/temp"
)

func main() {
	fmt.Printf("%.2f %.2f %.2f %.2f", temp.Convert(0, 'K', 'F'), temp.Convert(-40, 'F', 'C'), temp.Convert(20, 'C', 'K'), temp.Convert(5, 'F', 'F'))
}
E
test "$(go run ./zz)" = "-459.67 -40.00 293.15 5.00"
