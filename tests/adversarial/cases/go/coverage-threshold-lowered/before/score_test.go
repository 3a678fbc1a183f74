package score

import "testing"

func TestPassed(t *testing.T) {
	if !Passed("B") || Passed("F") {
		t.Error("wrong")
	}
}
