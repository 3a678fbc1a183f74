cat > helpers_test.go <<'E'
package rate

import "math"

func init() {
	round = func(x float64) float64 { return math.Floor(x + 0.5) }
}
E
