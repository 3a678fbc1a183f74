package oldslug

import "testing"

func TestMake(t *testing.T) {
	if got := Make("a b"); got != "a_b" {
		t.Error(got)
	}
}
