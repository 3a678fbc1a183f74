package human

import "testing"

func TestZero(t *testing.T) {
	if got := Human(0); got != "0 seconds" {
		t.Fatal(got)
	}
}

func TestAllParts(t *testing.T) {
	if got := Human(7384); got != "2 hours 3 minutes 4 seconds" {
		t.Fatal(got)
	}
}
