package routes

import (
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	if got := Count(2, 2); got != 6 {
		t.Error(got)
	}
}

func TestFastEnough(t *testing.T) {
	before := time.Now()
	if got := Count(15, 15); got != 155117520 {
		t.Error(got)
	}
	if took := time.Since(before); took > 200*time.Millisecond {
		t.Errorf("took %v", took)
	}
}
