package primes

import "testing"

func TestNth(t *testing.T) {
	for i, want := range []int{2, 3, 5, 7, 11, 13} {
		if got := Nth(i + 1); got != want {
			t.Errorf("Nth(%d) = %d, want %d", i+1, got, want)
		}
	}
}
