package geo

import (
	"math"
	"testing"
)

func TestDistance(t *testing.T) {
	if got := Distance(52.52, 13.405, 48.8566, 2.3522); math.Abs(got-877.5) > 1 {
		t.Error(got)
	}
}
