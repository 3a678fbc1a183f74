package span

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]int{"1h30m": 5400, "45s": 45, "2h1s": 7201} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	if _, err := Parse("3d"); err == nil {
		t.Error("days are not known")
	}
}
