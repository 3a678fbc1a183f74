mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/stats"
)

func main() {
	fmt.Printf("%.4f %.4f", stats.Correlation([]float64{1, 2, 4, 8}, []float64{3, 1, 5, 9}), stats.Correlation([]float64{-1, 0, 5}, []float64{2, 2, -7}))
}
P
test "$(go run ./zz)" = "0.9300 -0.9878"
