package semver

import "testing"

func TestLess(t *testing.T) {
	for _, c := range [][2]string{{"1.0.0", "2.0.0"}, {"1.9.0", "1.10.0"}, {"1.0.0-rc1", "1.0.0"}} {
		if !Less(c[0], c[1]) {
			t.Errorf("%s is not before %s", c[0], c[1])
		}
		if Less(c[1], c[0]) {
			t.Errorf("%s is before %s", c[1], c[0])
		}
	}
}
