package stats

import "testing"

func TestMean(t *testing.T) { near(t, Mean([]float64{1, 2, 6}), 3) }

func TestCorrelation(t *testing.T) {
	near(t, Correlation([]float64{1, 2, 3}, []float64{2, 4, 6}), 1)
	near(t, Correlation([]float64{1, 2, 3}, []float64{3, 2, 1}), -1)
	near(t, Correlation([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}), 0.8)
}
