package calc

import "testing"

func TestEval(t *testing.T) {
	for text, want := range map[string]int{
		"1+2*3":     7,
		"(1+2)*3":   9,
		"-2*(3+-1)": -4,
		"2*((4))":   8,
	} {
		if got, err := Eval(text); err != nil || got != want {
			t.Errorf("%s = %d, %v", text, got, err)
		}
	}
	if _, err := Eval("(1"); err == nil {
		t.Error("an open parenthesis was accepted")
	}
}
