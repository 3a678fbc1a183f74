// Package stats has a few statistics of samples.
package stats

// Mean of a sample.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Correlation of two samples of the same length.
func Correlation(x, y []float64) float64 {
	panic("not implemented")
}
