package names

import "testing"

func TestShort(t *testing.T) {
	if Short(9) != "Sep" {
		t.Error(Short(9))
	}
}
