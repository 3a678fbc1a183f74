package report

import "testing"

func TestAmount(t *testing.T) {
	if got := Amount(1205); got != "12.05" {
		t.Error(got)
	}
}
