package words

import "testing"

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"":                     0,
		"one, two":             2,
		"a well-known song":    3,
		"don't -- stop":        2,
		"- ' -":                0,
		"'quoted' rock-'n'-roll": 2,
	} {
		if got := Words(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
