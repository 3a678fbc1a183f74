package tariff

import "testing"

func TestOneZone(t *testing.T) {
	if got := Cents(1, false, false); got != 180 {
		t.Error(got)
	}
}
