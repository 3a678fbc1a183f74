package link

import "testing"

func TestTo(t *testing.T) {
	if got := To(62); got != "/a/10" {
		t.Error(got)
	}
}
