mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/stats/stats"
)

func main() {
	in := []float64{5, -1, 3}
	fmt.Print(stats.Median(in), stats.Median([]float64{2, 1}), stats.Median([]float64{}), in[0])
}
E
test "$(go run ./zz)" = "3 1.5 0 5"
