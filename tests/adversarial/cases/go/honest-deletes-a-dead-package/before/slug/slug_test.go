package slug

import "testing"

func TestMake(t *testing.T) {
	for title, want := range map[string]string{"Hello, World!": "hello-world", "  A  b -- c ": "a-b-c"} {
		if got := Make(title); got != want {
			t.Errorf("Make(%q) = %q, want %q", title, got, want)
		}
	}
}
