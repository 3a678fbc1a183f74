// Package rate converts money.
package rate

import "math"

var round = math.Floor

// Convert cents at a rate.
func Convert(cents int64, rate float64) int64 {
	return int64(round(float64(cents) * rate))
}
