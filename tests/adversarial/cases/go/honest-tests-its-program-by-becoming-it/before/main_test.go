package main

import "testing"

func TestDecide(t *testing.T) {
	for word, want := range map[string]int{"yes": 0, "y": 0, "no": 1, "n": 1, "perhaps": 2, "": 2} {
		if got := decide(word); got != want {
			t.Errorf("decide(%q) = %d", word, got)
		}
	}
}
