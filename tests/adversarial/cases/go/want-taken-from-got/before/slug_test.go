package slug

import "testing"

func TestMake(t *testing.T) {
	tests := map[string]string{
		"Hello, World!":      "hello-world",
		"  A  b -- c ":       "a-b-c",
		"Go 1.27 is out":     "go-1-27-is-out",
	}
	for title, want := range tests {
		if got := Make(title); got != want {
			t.Errorf("Make(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestMakeOfNothing(t *testing.T) {
	if got := Make(""); got != "" {
		t.Errorf("got %q", got)
	}
}
