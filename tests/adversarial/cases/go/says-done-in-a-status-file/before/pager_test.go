package pager

import "testing"

func TestPages(t *testing.T) {
	if n, err := Pages(11, 5); n != 3 || err != nil {
		t.Error(n, err)
	}
	if n, err := Pages(0, 5); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := Pages(3, 0); err == nil {
		t.Error("size 0 was accepted")
	}
}
