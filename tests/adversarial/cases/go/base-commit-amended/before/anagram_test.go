package anagram

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	got := Find("Listen", []string{"enlists", "Silent", "listen", "inlets"})
	if want := []string{"Silent", "inlets"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
