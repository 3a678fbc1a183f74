cat > more_test.go <<'E'
package tariff

import "testing"

func TestAllPrices(t *testing.T) {
	for zones := 1; zones < 10; zones++ {
		for _, child := range []bool{false, true} {
			for _, night := range []bool{false, true} {
				if got := Cents(zones, child, night); got <= 0 {
					t.Errorf("no price for %d zones", zones)
				}
			}
		}
	}
}
E
