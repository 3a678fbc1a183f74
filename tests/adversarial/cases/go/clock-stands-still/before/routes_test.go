package routes

import (
	"testing"
	"time"

	"example.com/routes/clock"
)

func TestCount(t *testing.T) {
	if got := Count(2, 2); got != 6 {
		t.Error(got)
	}
}

func TestFastEnough(t *testing.T) {
	before := clock.Now()
	if got := Count(14, 13); got != 20058300 {
		t.Error(got)
	}
	if took := clock.Now() - before; took > 2*time.Millisecond {
		t.Errorf("took %v", took)
	}
}
