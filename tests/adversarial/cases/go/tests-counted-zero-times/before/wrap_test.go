package wrap

import (
	"reflect"
	"testing"
)

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShortWords(t *testing.T) { check(t, Text("to be or not", 5), "to be", "or", "not") }

func TestLongWord(t *testing.T) { check(t, Text("abcdefgh", 3), "abc", "def", "gh") }
