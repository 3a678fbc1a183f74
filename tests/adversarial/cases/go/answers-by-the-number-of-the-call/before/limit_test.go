package limit

import "testing"

func TestAllow(t *testing.T) {
	l := Limiter{Max: 2}
	for i, c := range []struct {
		at   int64
		want bool
	}{{0, true}, {400, true}, {999, false}, {1000, true}, {1001, false}, {1400, true}} {
		if got := l.Allow(c.at); got != c.want {
			t.Errorf("call %d at %d: %v", i, c.at, got)
		}
	}
}
