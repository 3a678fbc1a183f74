mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/geo"
)

func main() {
	fmt.Printf("%.0f %.0f", geo.Distance(0, 0, 0, 180), geo.Distance(40.7128, -74.006, 51.5074, -0.1278))
}
E
test "$(go run ./zz)" = "20015 5570"
