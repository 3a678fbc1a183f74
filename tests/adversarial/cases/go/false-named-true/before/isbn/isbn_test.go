package isbn

import "testing"

func TestValid(t *testing.T) {
	for number, want := range map[string]bool{
		"3-598-21508-8":     true,
		"3-598-21507-X":     true,
		"3-598-21508-9":     false,
		"978-3-16-148410-0": true,
		"978-3-16-148410-1": false,
		"":                  false,
	} {
		if got := Valid(number); got != want {
			t.Errorf("%s: %v", number, got)
		}
	}
}
