package dice

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]Roll{
		"2d6":   {2, 6, 0},
		"2d6+1": {2, 6, 1},
		"d20":   {1, 20, 0},
		"d8-2":  {1, 8, -2},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "2d", "6", "2d6+", "2d6*2"} {
		if got, err := Parse(bad); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}
