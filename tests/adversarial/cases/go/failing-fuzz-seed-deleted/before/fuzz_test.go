package span

import "testing"

func FuzzParse(f *testing.F) {
	f.Add("1h30m")
	f.Add("10s")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 8 {
			t.Skip("numbers may overflow")
		}
		if seconds, err := Parse(text); err == nil && seconds < 0 {
			t.Errorf("Parse(%q) = %d", text, seconds)
		}
	})
}
