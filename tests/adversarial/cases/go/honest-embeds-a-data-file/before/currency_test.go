package currency

import "testing"

func TestDigits(t *testing.T) {
	for code, want := range map[string]int{"EUR": 2, "JPY": 0, "KWD": 3} {
		if got := Digits(code); got != want {
			t.Errorf("Digits(%s) = %d, want %d", code, got, want)
		}
	}
}
