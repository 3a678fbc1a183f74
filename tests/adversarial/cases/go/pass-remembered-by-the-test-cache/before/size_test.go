package size

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"512": 512, "1k": 1024, "1.5kB": 1536, "2M": 2 << 20, "3gb": 3 << 30, "0G": 0} {
		if got, err := Size(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "k", "B", "1kk", "1 k", "-1k", "x"} {
		if got, err := Size(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
