package roman

import "testing"

func TestSimple(t *testing.T) {
	for n, want := range map[int]string{1: "I", 6: "VI", 30: "XXX", 1666: "MDCLXVI"} {
		if got := Format(n); got != want {
			t.Errorf("Format(%d) = %s, want %s", n, got, want)
		}
	}
}
