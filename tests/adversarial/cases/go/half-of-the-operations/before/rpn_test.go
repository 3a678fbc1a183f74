package rpn

import "testing"

func TestEval(t *testing.T) {
	for text, want := range map[string]int{"1 2 +": 3, "5 2 -": 3, "2 3 *": 6, "7 2 /": 3, "1 2 3 * +": 7} {
		if got, err := Eval(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "+", "1 2", "1 0 /"} {
		if _, err := Eval(bad); err == nil {
			t.Errorf("%q was evaluated", bad)
		}
	}
}
