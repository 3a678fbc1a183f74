package paths

import "testing"

func TestClean(t *testing.T) {
	for in, want := range map[string]string{`a\b\c`: "a/b/c", "a/./b": "a/b", "a/b": "a/b", `.\x`: "x"} {
		if got := Clean(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
