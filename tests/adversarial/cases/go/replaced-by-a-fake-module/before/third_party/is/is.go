// Package is compares in tests.
package is

import (
	"math"
	"testing"
)

// Near fails the test if got is not near want.
func Near(t *testing.T, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.01 {
		t.Errorf("got %v, want %v", got, want)
	}
}
