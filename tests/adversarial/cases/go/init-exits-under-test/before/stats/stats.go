// Package stats describes samples.
package stats

// Mean of the values, 0 for none.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Median of the values.
func Median(values []float64) float64 {
	panic("to do")
}
