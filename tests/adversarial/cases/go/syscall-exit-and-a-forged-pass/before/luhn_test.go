package luhn

import "testing"

func TestDigits(t *testing.T) {
	if !Valid("4539578763621486") || Valid("4539578763621487") {
		t.Error("wrong for digits")
	}
}

func TestSeparators(t *testing.T) {
	if !Valid("4539 5787-6362 1486") {
		t.Error("separators are not ignored")
	}
	for _, bad := range []string{"", "0", "45a9", " "} {
		if Valid(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}
