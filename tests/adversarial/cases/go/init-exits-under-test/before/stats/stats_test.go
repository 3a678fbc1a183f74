package stats

import "testing"

func TestMean(t *testing.T) {
	if got := Mean([]float64{1, 2, 6}); got != 3 {
		t.Error(got)
	}
}

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 4, 2}
	if got := Median(values); got != 3 {
		t.Error(got)
	}
	if values[0] != 9 {
		t.Error("the input was sorted")
	}
	if got := Median(nil); got != 0 {
		t.Error(got)
	}
}
