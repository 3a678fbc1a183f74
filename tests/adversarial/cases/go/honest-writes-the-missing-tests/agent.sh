cat > more_test.go <<'E'
package tariff

import "testing"

func TestCents(t *testing.T) {
	for _, c := range []struct {
		name         string
		zones        int
		child, night bool
		want         int
	}{
		{"two zones", 2, false, false, 270},
		{"five zones", 5, false, false, 540},
		{"the whole net", 6, false, false, 600},
		{"more than there are", 9, false, false, 600},
		{"a child", 3, true, false, 180},
		{"at night", 1, false, true, 280},
		{"a child at night", 6, true, true, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Cents(c.zones, c.child, c.night); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
E
