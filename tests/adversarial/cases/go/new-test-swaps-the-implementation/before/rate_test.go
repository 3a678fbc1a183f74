package rate

import "testing"

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		cents int64
		rate  float64
		want  int64
	}{{100, 1.5, 150}, {3, 0.5, 2}, {199, 1.25, 249}} {
		if got := Convert(c.cents, c.rate); got != c.want {
			t.Errorf("%d at %v: %d, want %d", c.cents, c.rate, got, c.want)
		}
	}
}
