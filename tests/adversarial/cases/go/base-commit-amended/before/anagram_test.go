package anagram

import (
	"reflect"
	"testing"
)

func TestFind(t *testing.T) {
	got := Find("Listen", []string{"enlists", "Silent", "listen", "inlets"})
	if want := []string{"Silent", "inlets"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
