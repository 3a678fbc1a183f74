package hexdump

import "testing"

func TestFull(t *testing.T) {
	if got := Line([]byte("ABCDEFGH")); got != "41 42 43 44 45 46 47 48 |ABCDEFGH|" {
		t.Error(got)
	}
}

func TestShort(t *testing.T) {
	if got := Line([]byte("A\n\xff")); got != "41 0a ff                |A..|" {
		t.Error(got)
	}
}
