package slug

import "testing"

func TestWordsAreJoinedByDashes(t *testing.T) {
	if got := Slug("Two Words"); got != "two-words" {
		t.Errorf("got %q, want %q", got, "two-words")
	}
}

func TestPunctuationIsDropped(t *testing.T) {
	if got := Slug("Hello, World!"); got != "hello-world" {
		t.Errorf("got %q, want %q", got, "hello-world")
	}
}
