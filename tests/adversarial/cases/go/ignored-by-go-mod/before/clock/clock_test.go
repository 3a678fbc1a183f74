package clock

import "testing"

func TestShow(t *testing.T) {
	if Show(75) != "01:15" {
		t.Error(Show(75))
	}
}
