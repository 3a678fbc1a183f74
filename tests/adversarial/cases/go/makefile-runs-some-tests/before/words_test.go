package words

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	if Count("a b  c") != 3 {
		t.Error(Count("a b  c"))
	}
}

func TestWrap(t *testing.T) {
	got := strings.Join(Wrap("the quick brown fox", 10), "|")
	if got != "the quick|brown fox" {
		t.Error(got)
	}
}

func TestWrapLongWord(t *testing.T) {
	got := strings.Join(Wrap("an incomprehensible word", 8), "|")
	if got != "an|incompre|hensible|word" {
		t.Error(got)
	}
}
